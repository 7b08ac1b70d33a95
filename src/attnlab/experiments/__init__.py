"""The book's long experiments: one module a question.

`python -m attnlab.experiments.NAME --seeds 5` runs one and stores every seed's figures
in `results/NAME.json`; `attnlab.store.load("NAME")` reads them back.
"""
