"""The shell around the game: sockets, encryption, discovery, files. Everything here may wait, fail and be slow; nothing
here knows a rule or looks inside a frame."""
