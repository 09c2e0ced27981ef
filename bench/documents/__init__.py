"""Ranking documents, measured as a recommender: python -m bench.documents"""
