/** Programs of the emulated shell on archives with a wrong checksum: nothing of what is damaged is printed or written. */
import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

const script = `
import base64, bz2, gzip, io, json, lzma, tarfile, zipfile
text = b''.join(b'line %d of a file\\n' % n for n in range(5000))
def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
tape, z = io.BytesIO(), io.BytesIO()
with tarfile.open(fileobj=tape, mode='w:') as t:
    for name in ('first', 'second'):
        info = tarfile.TarInfo(name)
        info.size = len(text)
        t.addfile(info, io.BytesIO(text))
with zipfile.ZipFile(z, 'w', zipfile.ZIP_STORED) as archive:
    for name in ('good', 'bad'):
        archive.writestr(name, text + name.encode())
whole = z.getvalue()
found = {'t.tgz': flipped(gzip.compress(tape.getvalue()), -6), 't.tbz': flipped(bz2.compress(tape.getvalue()), -6), 't.txz': lzma.compress(tape.getvalue()),
    'a.gz': flipped(gzip.compress(text), -6), 'b.bz2': flipped(bz2.compress(text), -6), 'c.xz': lzma.compress(text),
    'two.gz': gzip.compress(b'good\\n') + flipped(gzip.compress(text), -6), 'z.zip': flipped(whole, whole.index(b'line 9 of', whole.index(b'lines') if b'lines' in whole else whole.rindex(b'line 0 of')))}
for name in ('t.txz', 'c.xz'):
    found[name] = flipped(found[name], len(found[name]) - 60)
print(json.dumps({name: base64.b64encode(data).decode() for name, data in found.items()}))
`

let workspace: Workspace
beforeAll(() => {
  const made: Record<string, string> = JSON.parse(execFileSync('python3', ['-c', script]).toString())
  const files = Object.entries(made).map(([name, data]) => [`/${name}`, new Uint8Array(Buffer.from(data, 'base64'))])
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  workspace = createWorkspace({ fs: memory(Object.fromEntries(files)), shell })
})
afterAll(() => workspace.shell?.close())

test.each([
  'zcat a.gz',
  'gunzip -c < a.gz',
  'bzcat b.bz2',
  'bzip2 -dc < b.bz2',
  'xzcat c.xz',
  'xz -dc < c.xz',
  'unzip -p z.zip bad',
  'zgrep line a.gz',
])('%s prints nothing and fails', async (command) => {
  const { stdout, stderr, exitCode } = await run(workspace, command)
  expect([stdout, stderr === '', exitCode === 0]).toEqual(['', false, false])
})

test.each([
  'gunzip -k a.gz',
  'bunzip2 -k b.bz2',
  'unxz -k c.xz',
  'tar xzf t.tgz',
  'tar xf t.tbz',
  'tar xf t.txz',
  'tar xzf - < t.tgz',
  'unzip -q z.zip bad',
])('%s writes nothing and fails', async (command) => {
  const { stderr, exitCode } = await run(workspace, `mkdir out && cd out && cp ../*.* . && ${command}`)
  expect([stderr === '', exitCode === 0]).toEqual([false, false])
  const { stdout } = await run(workspace, 'ls out; rm -r out')
  expect(stdout).toBe('a.gz\nb.bz2\nc.xz\nt.tbz\nt.tgz\nt.txz\ntwo.gz\nz.zip\n')
})

test('a damaged entry is named with its archive, and the others are unpacked', async () => {
  const { stderr, exitCode } = await run(workspace, 'mkdir zip && cd zip && echo old > bad && unzip -oq ../z.zip')
  expect([stderr, exitCode]).toEqual([
    'unzip: error:  ../z.zip: bad is damaged (wrong-checksum), and is not unpacked; get the archive again\n',
    2,
  ])
  expect((await run(workspace, 'cd zip; tail -c 4 good; cat bad')).stdout).toBe('goodold\n')
})

test('members before a damaged one are whole', async () => {
  const { stdout, exitCode } = await run(workspace, 'zcat two.gz')
  expect([stdout, exitCode]).toEqual(['good\n', 1])
})
