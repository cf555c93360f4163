"""What harnd needs from the world, as Protocols that speak its own words, and the errors they raise.

Floor 3: no port names a library; an adapter translates foreign errors once, at its edge.
"""
