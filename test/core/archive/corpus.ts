/** Archives that a reader has to refuse, to take, or to take with a word of warning. */
import {
  bytesOf,
  concat,
  crc32,
  deflate,
  endRecord,
  type RawArchive,
  type RawFile,
  zip64Extra,
  zipBytes,
} from './zip-bytes.js'

export interface CorpusCase {
  name: string
  make: () => Promise<Uint8Array>
  /** `allow`: the whole tree. `flag`: the tree and the warnings. `deny`: the error. */
  expected:
    | { verdict: 'allow'; tree: Record<string, string> }
    | { verdict: 'flag'; tree: Record<string, string>; warnings: Array<{ kind: string; entry?: string }> }
    | { verdict: 'deny'; failure: { code: string; reason?: string; what?: string; limit?: number; entry?: string } }
}

const hello = bytesOf('hello')
const link = 0o120777
const mebibyte = 1024 * 1024

export const corpus: readonly CorpusCase[] = [
  allow(
    '00-benign',
    [
      { name: 'dir/', mode: 0o040755, method: 0 },
      { name: 'dir/a.txt', data: hello },
    ],
    {
      'dir/': '',
      'dir/a.txt': 'hello',
    },
  ),
  denyName('01-slip-rel', '../evil.txt', 'outside'),
  denyName('02-slip-deep', 'a/b/../../../evil.txt', 'outside'),
  denyName('03-slip-abs', '/etc/evil', 'outside'),
  denyName('04-slip-backslash', '..\\evil.txt', 'outside'),
  denyName('05-slip-mixed', 'a/..\\../evil.txt', 'outside'),
  denyName('06-drive', 'C:/evil.txt', 'outside'),
  denyName('07-drive-rel', 'C:evil.txt', 'outside'),
  denyName('08-unc', '\\\\server\\share\\evil.txt', 'outside'),
  denyName('09-dotdot-only', '..', 'outside'),
  denyName('10-nul', 'a.txt\0.png', 'invalid-name'),
  denyName('11-empty-name', '', 'invalid-name'),
  denyName('12-dot', '.', 'invalid-name'),
  denyName('13-double-slash', 'a//b.txt', 'invalid-name'),
  denyName('14-home', '~/.ssh/authorized_keys', 'outside'),
  denyName('15-git-hook', '.git/hooks/pre-commit', 'protected-name'),
  denyName('16-win-device', 'sub/NUL.txt', 'reserved-name'),
  denyName('17-ads', 'a.txt:evil', 'reserved-name'),
  deny('18-symlink-abs', [{ name: 'l', data: bytesOf('/etc'), mode: link }], bad('link', 'l')),
  deny('19-symlink-rel', [{ name: 'l', data: bytesOf('../..'), mode: link }], bad('link', 'l')),
  deny(
    '20-symlink-file',
    [
      { name: 'l', data: bytesOf('/etc/passwd'), mode: link },
      { name: 'l', data: hello },
    ],
    bad('link', 'l'),
  ),
  deny(
    '21-symlink-chain',
    [
      { name: 'l', data: bytesOf('..'), mode: link },
      { name: 'l/evil.txt', data: hello },
    ],
    bad('link', 'l'),
  ),
  deny(
    '22-dup-name',
    [
      { name: 'a.txt', data: hello },
      { name: 'a.txt', data: bytesOf('other') },
    ],
    bad('duplicate-name', 'a.txt'),
  ),
  flag(
    '23-dup-case',
    [
      { name: 'A.txt', data: hello },
      { name: 'a.txt', data: bytesOf('other') },
    ],
    { 'A.txt': 'hello', 'a.txt': 'other' },
    [{ kind: 'similar-name', entry: 'a.txt' }],
  ),
  deny(
    '24-file-then-dir',
    [
      { name: 'a', data: hello },
      { name: 'a/b.txt', data: hello },
    ],
    bad('file-and-directory', 'a'),
  ),
  deny(
    '25-local-central-mismatch',
    [{ name: 'good.txt', localName: 'evil.txt', data: hello }],
    bad('contradictory-entry', 'good.txt'),
  ),
  flag(
    '26-nfc-nfd-dup',
    [
      { name: 'caf\u00e9', data: hello },
      { name: 'cafe\u0301', data: bytesOf('other') },
    ],
    { 'caf\u00e9': 'hello', 'cafe\u0301': 'other' },
    [{ kind: 'similar-name', entry: 'cafe\u0301' }],
  ),
  deny('27-bomb-ratio-1000', [{ name: 'zeros', data: new Uint8Array(100 * mebibyte), crc: 0 }], {
    code: 'ARCHIVE_TOO_LARGE',
    what: 'ratio',
    limit: 200,
    entry: 'zeros',
  }),
  deny(
    '28-bomb-lying-usize',
    [{ name: 'zeros', data: new Uint8Array(50 * mebibyte), size: 10, crc: 0 }],
    bad('wrong-size', 'zeros'),
  ),
  deny('29-bomb-overlap', overlapping(), { code: 'BAD_ARCHIVE', reason: 'overlapping-entries', entry: 'f1' }),
  {
    name: '30-bomb-nested',
    make: async () =>
      zipBytes([{ name: 'inner.zip', method: 0, data: await zipBytes([{ name: 'a.txt', data: hello }]) }]),
    expected: { verdict: 'allow', tree: { 'inner.zip': '(binary)' } },
  },
  deny('31-many-entries', many(65_000), { code: 'ARCHIVE_TOO_LARGE', what: 'entries', limit: 10_000 }),
  deny('32-encrypted', [{ name: 'a.txt', data: hello, flags: 0x801 }], bad('encrypted', 'a.txt')),
  allow(
    '33-zip64',
    [{ name: 'a.txt', data: hello, method: 0, size: 0xffffffff, compressedSize: 0xffffffff, extra: zip64Extra(5, 5) }],
    { 'a.txt': 'hello' },
    { zip64: {} },
  ),
  deny('34-zip64-lie', [{ name: 'a.txt', data: hello }], bad('damaged'), { zip64: { count: 1000 } }),
  deny('35-unknown-method', [{ name: 'a.txt', data: hello, method: 97 }], bad('unknown-compression', 'a.txt')),
  deny('36-bad-crc', [{ name: 'a.txt', data: hello, crc: 0x12345678 }], bad('wrong-checksum', 'a.txt')),
  {
    name: '37-truncated',
    make: async () => (await zipBytes([{ name: 'a.txt', data: hello }])).slice(0, -30),
    expected: { verdict: 'deny', failure: bad('not-an-archive') },
  },
  deny('38-cd-offset-evil', [{ name: 'a.txt', data: hello }], bad('damaged'), { directoryOffset: 0x7fffffff }),
  deny('39-count-lie', [{ name: 'a.txt', data: hello }], bad('damaged'), { count: 500 }),
  flag(
    '40-two-eocd',
    [{ name: 'a.txt', data: hello }],
    { 'a.txt': 'hello' },
    [{ kind: 'several-directories' }],
    // The record in the comment claims an archive that ends before the comment does.
    { comment: concat([endRecord(0, 0, 0), bytesOf('!')]) },
  ),
  allow(
    '41-prefix-sfx',
    [{ name: 'a.txt', data: hello }],
    { 'a.txt': 'hello' },
    { prefix: bytesOf('#!/bin/sh\nexit\n') },
  ),
  allow('42-cp437-name', [{ name: Uint8Array.of(0x63, 0x61, 0x66, 0x82), flags: 0, data: hello }], { café: 'hello' }),
  flag('43-invalid-utf8-name', [{ name: Uint8Array.of(0x61, 0xff, 0x62), data: hello }], { 'a\ufffdb': 'hello' }, [
    { kind: 'undecodable-name', entry: 'a\ufffdb' },
  ]),
  deny('44-name-64k', [{ name: 'n'.repeat(65_535), data: hello }], bad('name-too-long', 'n'.repeat(1024))),
  flag('45-setuid', [{ name: 'run', mode: 0o104755, data: hello }], { run: 'hello' }, [
    { kind: 'special-mode', entry: 'run' },
  ]),
  flag('46-control-chars', [{ name: 'a\u001b[31m\n.txt', data: hello }], { 'a\u001b[31m\n.txt': 'hello' }, [
    { kind: 'control-characters', entry: 'a\u001b[31m\n.txt' },
  ]),
  allow('47-empty-zip', [], {}),
  {
    name: '48-not-zip',
    make: async () => bytesOf('this is no archive'),
    expected: { verdict: 'deny', failure: bad('not-an-archive') },
  },
]

/** More of the same kind, which the first 49 suggest. */
export const moreCases: readonly CorpusCase[] = [
  denyName('a git directory by another spelling', 'sub/.GIT\u200c/config', 'protected-name'),
  denyName('a device of Windows without an ending', 'aux', 'reserved-name'),
  deny('a FIFO', [{ name: 'pipe', mode: 0o010644 }], bad('special-file', 'pipe')),
  deny('a directory with content', [{ name: 'd/', data: hello, mode: 0o040755 }], bad('file-and-directory', 'd/')),
  deny(
    'a directory and a file of one name',
    [
      { name: 'a/', method: 0, mode: 0o040755 },
      { name: 'a', data: hello },
    ],
    bad('file-and-directory', 'a'),
  ),
  deny('fewer entries claimed than there are', many(3), bad('damaged'), { count: 2 }),
  deny('a size that is claimed too large', [{ name: 'a.txt', data: hello, size: 500 }], bad('wrong-size', 'a.txt')),
  {
    name: 'bytes behind the end of the compressed ones',
    async make() {
      const body = concat([await deflate(hello), bytesOf('more')])
      const crc = crc32(hello)
      return zipBytes([{ name: 'a.txt', raw: body, size: hello.length, crc }])
    },
    expected: { verdict: 'deny', failure: bad('damaged', 'a.txt') },
  },
  deny('data that is cut off', [{ name: 'a.txt', data: hello, compressedSize: 70_000 }], bad('damaged', 'a.txt')),
  deny('more in all than may be', many(5, { size: 230 * mebibyte, compressedSize: 2 * mebibyte }), {
    code: 'BAD_ARCHIVE',
    reason: 'overlapping-entries',
    entry: 'f1',
  }),
  deny(
    'an offset far behind the end',
    [
      { name: 'a.txt', data: hello },
      { name: 'b', offset: 0x7fffff00 },
    ],
    bad('damaged', 'b'),
  ),
  {
    name: 'two archives that both reach the end',
    async make() {
      const first = await zipBytes([{ name: 'a.txt', data: hello }])
      const second = await zipBytes([{ name: 'b.txt', data: bytesOf('other') }], { prefix: first })
      // The first one's comment is the whole second archive.
      const comment = second.length - first.length
      const joined = new Uint8Array(second)
      joined[first.length - 2] = comment & 0xff
      joined[first.length - 1] = comment >> 8
      return joined
    },
    expected: { verdict: 'deny', failure: bad('ambiguous') },
  },
]

function allow(
  name: string,
  files: readonly RawFile[],
  tree: Record<string, string>,
  archive?: RawArchive,
): CorpusCase {
  return { name, make: () => zipBytes(files, archive), expected: { verdict: 'allow', tree } }
}

function flag(
  name: string,
  files: readonly RawFile[],
  tree: Record<string, string>,
  warnings: Array<{ kind: string; entry?: string }>,
  archive?: RawArchive,
): CorpusCase {
  return { name, make: () => zipBytes(files, archive), expected: { verdict: 'flag', tree, warnings } }
}

type Failure = Extract<CorpusCase['expected'], { verdict: 'deny' }>['failure']

function deny(name: string, files: readonly RawFile[], failure: Failure, archive?: RawArchive): CorpusCase {
  return { name, make: () => zipBytes(files, archive), expected: { verdict: 'deny', failure } }
}

/** With a good entry before it, which must not be unpacked either. */
function denyName(name: string, entry: string, reason: string): CorpusCase {
  return deny(
    name,
    [
      { name: 'good.txt', data: hello },
      { name: entry, data: hello },
    ],
    bad(reason, entry),
  )
}

function bad(reason: string, entry?: string): Failure {
  return { code: 'BAD_ARCHIVE', reason, ...(entry !== undefined && { entry }) }
}

function many(count: number, claims: Partial<RawFile> = {}): RawFile[] {
  return Array.from({ length: count }, (_, n) => ({ name: `f${n}`, method: 0, ...claims }))
}

/** A thousand entries, one body: 100 MB each, of which the archive has 512 kB. */
function overlapping(): RawFile[] {
  const claims = { size: 100_000_000, compressedSize: 524_288 }
  const body: RawFile = { name: 'f0', method: 0, data: new Uint8Array(524_288), ...claims }
  return [body, ...many(999, { ...claims, offset: 0 }).map((file, n) => ({ ...file, name: `f${n + 1}` }))]
}
