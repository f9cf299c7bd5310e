"""What keeps a seat from its table, each with what can be done about it: the reasons of net/ in sentences.

The hints come from what players on office and café networks run into, and are worth more than the errno they explain.
"""

import errno
import os
import sys
from collections.abc import Mapping
from typing import Any

from p2pdice.cli.language import _

Fields = Mapping[str, Any]

# What p2pdice doctor can tell more about.
UNREACHED = ("refused", "timeout", "unreachable", "no-network", "missing-zone", "denied", "frozen")


def trouble(reason: str, fields: Fields) -> tuple[str, str]:
    """A line and a hint for a NetError's reason."""
    told = _reaching(reason) or _door(reason) or _here(reason, fields) or _without(reason, fields)
    return told or (_("no connection came about ({reason})").format(reason=reason), _("Try again in a moment."))


def system(problem: str) -> str:
    """What the operating system says of a file, in the reader's language where it is one of the usual things."""
    usual = {
        errno.ENOENT: _("no such file or folder"),
        errno.EISDIR: _("that is a folder"),
        errno.ENOTDIR: _("a part of the path is no folder"),
        errno.EACCES: _("not allowed"),
        errno.EPERM: _("not allowed"),
        errno.EROFS: _("nothing can be written there"),
        errno.ENOSPC: _("the disk is full"),
        errno.EEXIST: _("it exists already"),
        errno.ENAMETOOLONG: _("the name is too long"),
    }
    return next((said for number, said in usual.items() if os.strerror(number) == problem), problem)


def _reaching(reason: str) -> tuple[str, str] | None:
    match reason:
        case "refused":
            return _("that computer answers, but no game is on that port"), _(
                "Has the host left? Ask for the line again."
            )
        case "timeout":
            return _("nothing came back from that address"), _(
                "If that computer is on, its firewall drops the port: allow it there, or let the other person host."
            )
        case "unreachable":
            hint = _("Guest networks often keep devices apart; try a phone's hotspot or a cable.")
            if sys.platform == "darwin":
                hint += "\n" + _("On macOS, allow Local Network for the terminal in Privacy & Security.")
            return _("nothing answers at that address"), hint
        case "no-network":
            return _("this computer has no network"), _("Connect to the network that the host is on.")
        case "missing-zone":
            return _("a link-local address needs its interface"), _("For example fe80::1%wlan0.")
        case "unknown-host":
            return _("no computer of that name"), _("Use the address that the host's screen shows.")
        case "denied":
            return _("this computer does not allow the connection"), _("Look at its own firewall and permissions.")
        case "frozen":
            return _("connected, but the game does not answer"), _("Is the host's computer asleep?")
        case "closed":
            return _("the connection was lost before the game began"), _("Join again.")
        case _:
            return None


def _door(reason: str) -> tuple[str, str] | None:
    match reason:
        case "version":
            return _("that table is played with another version of p2pdice"), _(
                "Everyone needs the same one; p2pdice --version shows it."
            )
        case "bad-handshake" | "oversized":
            return _("what answers there is not p2pdice"), _("Check the port.")
        case "other-key" | "other-table":
            return _("somebody else answers at that address now"), _("Look again with p2pdice find.")
        case "self":
            return _("that is this very player"), _("To join your own table from a second terminal, just join.")
        case _:
            return None


def _here(reason: str, fields: Fields) -> tuple[str, str] | None:
    match reason:
        case "port-taken":
            return _("port {port} is taken").format(port=fields.get("port")), _(
                "Choose another --port, or leave it out: a free one is found."
            )
        case "port-denied":
            return _("this computer does not allow that port"), _("Choose a --port from 1024 up.")
        case "bad-address":
            return _("{bind}: not an address of this computer").format(bind=fields.get("bind")), _("Leave out --bind.")
        case "nothing-to-resume":
            return _("no game was interrupted that could be taken up again"), _(
                "p2pdice join finds a table on this network."
            )
        case "record-exists":
            return _("the --record file exists and is not of this game"), _(
                "Choose another --record; nothing is overwritten."
            )
        case "record-unwritable":
            return _("the --record file cannot be written"), _("Choose another --record.")
        case _:
            return None


def _without(reason: str, fields: Fields) -> tuple[str, str] | None:
    """What the game can do without."""
    by_address = _("Joining by address works all the same.")
    match reason:
        case "mdns-port-busy":
            return _("another program keeps tables from being announced and found."), by_address
        case "no-interface":
            return _("there is no network on which to announce or find tables."), by_address
        case "failed":
            return _("tables can be neither announced nor found on this network."), by_address
        case "watched-lost":
            return _("the player through whom you watch cannot be reached."), _("Another one is looked for.")
        case "nothing-kept":
            return _("nothing of this game is kept: {detail}.").format(detail=system(str(fields.get("detail")))), _(
                "It can be played, but not checked afterwards; --state FOLDER keeps it elsewhere."
            )
        case _:
            return None
