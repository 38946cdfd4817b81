"""Embeds, stores and searches as a Python program does: rag.py MODEL. Reads texts and a question, and prints the vectors and the best text."""

import json
import sys

import openai

client = openai.OpenAI(max_retries=0)
task = json.loads(sys.stdin.read())


def embed(texts):
    created = client.embeddings.create(model=sys.argv[1], input=texts)
    return [item.embedding for item in created.data]


vectors = embed(task["texts"])
[asked] = embed([task["question"]])
scores = [sum(a * b for a, b in zip(vector, asked)) for vector in vectors]
print(json.dumps({"vectors": vectors, "best": task["texts"][scores.index(max(scores))]}))
