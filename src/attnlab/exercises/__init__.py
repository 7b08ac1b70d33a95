"""The checks behind the book's exercises, one module a chapter (`chapter1`, …)."""
