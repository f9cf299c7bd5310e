"""The throw-away TLS certificate of this process. It proves nothing by itself: the channel signs its hash with the
player's own key, so all that matters is that its private key never lies readable on a disk."""

import datetime
import hashlib
import os
import secrets
import ssl
import tempfile
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

ALPN = "p2pdice/1"

# Nobody checks the dates: a wrong clock must not keep anyone from playing. So they need no clock either.
_NOT_BEFORE = datetime.datetime(2000, 1, 1)
_NOT_AFTER = datetime.datetime(2099, 12, 31)


@dataclass(frozen=True, slots=True)
class Certificate:
    """Server side of TLS: the context to listen with, and SHA-256 of the certificate's DER (32 bytes)."""

    context: ssl.SSLContext
    digest: bytes


def make_certificate() -> Certificate:
    """A fresh self-signed P-256 certificate with a random name, loaded and forgotten (about 5 ms)."""
    key = ec.generate_private_key(ec.SECP256R1())
    # OpenSSL looks certificates up by name, so two processes must not share one.
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, secrets.token_hex(16))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_NOT_BEFORE)
        .not_valid_after(_NOT_AFTER)
        .sign(key, SHA256())
    )
    password = secrets.token_hex(32).encode()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _settle(context)
    context.num_tickets = 0  # no resumption: every connection runs the whole exchange
    _load(context, password, certificate.public_bytes(Encoding.PEM) + key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password)))
    return Certificate(context, hashlib.sha256(certificate.public_bytes(Encoding.DER)).digest())


def client_context() -> ssl.SSLContext:
    """TLS of the dialling side: any certificate is taken, the channel checks whose it is."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    _settle(context)
    return context


def _settle(context: ssl.SSLContext) -> None:
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols([ALPN])


def _load(context: ssl.SSLContext, password: bytes, pem: bytes) -> None:
    # The ssl module loads keys from files only. The file is the user's alone, encrypted under a password that exists
    # nowhere else, and gone before anyone could ask for it.
    handle, path = tempfile.mkstemp(prefix="p2pdice-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
        context.load_cert_chain(path, password=password)
    finally:
        os.unlink(path)
