#!/usr/bin/env python3
"""open_in_server.py - Opens a file in the language server, which must answer and end: open_in_server.py SERVER FILE"""
import json
import subprocess
import sys


def message(method, params=None, number=None):
    body = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        body["params"] = params
    if number is not None:
        body["id"] = number
    text = json.dumps(body)
    return f"Content-Length: {len(text)}\r\n\r\n{text}"


def main():
    server, path = sys.argv[1:]
    document = {"uri": "test:///deep.mlir", "languageId": "mlir", "version": 1, "text": open(path).read()}
    session = [
        message("initialize", {"processId": 1, "rootPath": "tk", "capabilities": {}, "trace": "off"}, 0),
        message("textDocument/didOpen", {"textDocument": document}),
        message("shutdown", number=1),
        message("exit"),
    ]
    done = subprocess.run([server], input="".join(session), capture_output=True, text=True, timeout=600)
    if done.returncode != 0 or "publishDiagnostics" not in done.stdout:
        sys.exit(f"FAIL status {done.returncode}: {done.stdout[-400:]} {done.stderr[-400:]}")


if __name__ == "__main__":
    main()
