"""Editing: a draft, and the person's own editor opened on it, by a program that waits or by one that goes on."""
