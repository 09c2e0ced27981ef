"""Exports as people have them: small files in the real shape of each program, all of the same documents."""
