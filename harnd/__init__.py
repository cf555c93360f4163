"""harnd: a local daemon that carries long-running goals through coding agents under hard bounds."""
