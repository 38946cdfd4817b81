"""Loaded by Python when it starts: only this machine can be reached. Some libraries fetch prices or metadata of models."""

import socket

resolve = socket.getaddrinfo


def getaddrinfo(host, *args, **kwargs):
    name = host.decode() if isinstance(host, bytes) else host
    if name not in (None, "localhost", "127.0.0.1", "::1"):
        raise socket.gaierror(socket.EAI_NONAME, f"Tests reach this machine only, not {name}.")
    return resolve(host, *args, **kwargs)


socket.getaddrinfo = getaddrinfo
