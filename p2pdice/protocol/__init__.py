"""The session between peers, without input or output: what arrives goes in, what is to be sent and told comes out."""
