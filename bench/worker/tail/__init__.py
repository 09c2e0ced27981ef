"""What rare tags gain: where they are placed, and which hidden tags they find.

python -m bench.worker.tail placing [CORPUS …]    tags with 5–9 documents that are taken for rare, and their concepts
python -m bench.worker.tail recall [CORPUS …]     hidden tags of held-out documents, by three rankers side by side
python -m bench.worker.tail continuity [CORPUS …]    rare tags that change their concept when documents come
python -m bench.worker.tail vocabulary CORPUS=FILE … --url URL    300 tags of all, asked of a running service
python -m bench.worker.tail cost CORPUS=FILE … --older CHECKOUT    store, memory and times beside an older checkout
"""
