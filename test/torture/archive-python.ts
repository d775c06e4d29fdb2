/** Python's zipfile in one process that is asked line by line: starting one for each archive would take most of the time. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const script = `
import hashlib, io, json, os, sys, zipfile

def digest(data):
    return f"{len(data)} {hashlib.sha256(data).hexdigest()[:16]}"

def read(archive):
    with zipfile.ZipFile(archive) as z:
        found = []
        for info in z.infolist():
            mode = info.external_attr >> 16
            content = None if info.is_dir() else digest(z.read(info))
            found.append({"name": info.filename, "mode": mode, "content": content})
        return {"entries": found}

class Unseekable(io.RawIOBase):
    def __init__(self, to):
        self.to = to
    def writable(self):
        return True
    def write(self, data):
        return self.to.write(data)

def make(archive, tree, entries, prefix, joined, stream, comment):
    with open(archive, "wb") as out:
        if prefix and not joined:
            out.write(bytes(prefix))
    to = Unseekable(open(archive, "ab")) if stream else archive
    with zipfile.ZipFile(to, "w" if stream else "a", strict_timestamps=False) as z:
        for entry in entries:
            name = entry["name"]
            info = zipfile.ZipInfo.from_file(os.path.join(tree, name), name, strict_timestamps=False)
            info.compress_type = entry["method"]
            info.comment = bytes(entry["comment"])
            info.extra = bytes(entry["extra"])
            if not entry["unix"]:
                info.create_system = 0
                info.external_attr &= 0xff
            data = b"" if info.is_dir() else open(os.path.join(tree, name), "rb").read()
            if info.is_dir():
                z.writestr(info, b"")
            else:
                with z.open(info, "w", force_zip64=entry["zip64"]) as f:
                    f.write(data)
        z.comment = bytes(comment)
    if stream:
        to.to.close()
    if prefix and joined:
        data = open(archive, "rb").read()
        open(archive, "wb").write(bytes(prefix) + data)
    return {}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = {"read": read, "make": make}[asked.pop("do")](**asked)
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
`

export interface PythonEntry {
  name: string
  /** Including the file type. */
  mode: number
  /** As `hashOf` returns it; null for a directory. */
  content: string | null
}

export interface Made {
  name: string
  /** As the format counts them. */
  method: number
  comment: number[]
  extra: number[]
  zip64: boolean
  unix: boolean
}

export interface Python {
  /** What is in an archive, or why Python refuses it. */
  read(archive: string): Promise<{ entries: PythonEntry[] } | { error: string }>
  make(request: {
    archive: string
    tree: string
    entries: Made[]
    prefix: number[]
    /** Put before a finished archive, whose offsets don't include it. */
    joined: boolean
    stream: boolean
    comment: number[]
  }): Promise<{ error?: string }>
  close(): void
}

export function startPython(): Python {
  const child: ChildProcess = spawn('python3', ['-c', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONUTF8: '1' },
  })
  const pending: Array<(answer: string) => void> = []
  if (child.stdout === null || child.stdin === null) throw new Error('python3 has no pipes')
  const { stdin } = child
  createInterface(child.stdout).on('line', (line) => pending.shift()?.(line))
  child.on('close', () => {
    for (const answer of pending.splice(0)) answer('{"error":"Python has ended"}')
  })
  async function ask<Answer>(request: object): Promise<Answer> {
    const answer = new Promise<string>((resolve) => pending.push(resolve))
    stdin.write(`${JSON.stringify(request)}\n`)
    return JSON.parse(await answer)
  }
  return {
    read: (archive) => ask({ do: 'read', archive }),
    make: (request) => ask({ do: 'make', ...request }),
    close: () => stdin.end(),
  }
}
