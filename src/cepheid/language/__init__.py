"""The query language: text to abstract syntax tree and back.

Takes: the text of a query.
Gives: a frozen tree (`ast.Query`), every node with the place it was written at.
May import: errors.
"""
