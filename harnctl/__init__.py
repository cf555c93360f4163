"""harnctl: the client a person or an agent speaks to the daemon with.  It sees the protocol and nothing of harnd."""
