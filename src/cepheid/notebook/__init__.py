"""Cepheid in IPython and Jupyter: `%load_ext cepheid`.

Takes: cells with queries, and tables of the session.
Gives: results in the session, pictures, progress, errors with their place.
May import: everything of the API and below it. Only it imports IPython.
"""
