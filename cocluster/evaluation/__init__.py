"""Judges clusterings: agreement with labels, coherence of concepts, scores, and made-up matrices to try them on."""
