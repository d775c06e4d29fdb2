/** A registry of packages that a test makes. */
import { createHash } from 'node:crypto'
import type http from 'node:http'
import zlib from 'node:zlib'
import { headerBlocks } from '../../../bash/programs/archives/tar/tar-format.js'
import { type TestServer, testServer } from './test-server.js'

export interface TestPackage {
  name: string
  version: string
  /** More of its `package.json`. */
  manifest?: Record<string, unknown>
  files?: Record<string, string>
}

/** An archive whose entries are as given, whatever they do. */
export function archiveOf(
  entries: readonly { name: string; content?: string; mode?: number; target?: string }[],
): Buffer {
  const owner = { name: 'root', id: 0 }
  const blocks = entries.flatMap(({ name, content = '', mode = 0o644, target }) => {
    const bytes = Buffer.from(content)
    const padded = Buffer.alloc(Math.ceil(bytes.length / 512) * 512)
    bytes.copy(padded)
    const kind = target === undefined ? ('file' as const) : ('symlink' as const)
    const header = {
      name,
      kind,
      mode,
      modifiedMs: 0,
      size: bytes.length,
      owner,
      group: owner,
      ...(target !== undefined && { target }),
    }
    return [...headerBlocks(header), padded]
  })
  return zlib.gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

export function packed({ name, version, manifest = {}, files = {} }: TestPackage): Buffer {
  const all = {
    'package.json': JSON.stringify({ name, version, ...manifest }, null, 2),
    'index.js': `module.exports = '${name}@${version}'\n`,
    ...files,
  }
  return archiveOf(Object.entries(all).map(([path, content]) => ({ name: `package/${path}`, content })))
}

export function testRegistry(
  packages: () => readonly TestPackage[],
  { archive = packed }: { archive?: (one: TestPackage) => Buffer } = {},
): Promise<TestServer> {
  return testServer((request: http.IncomingMessage, response: http.ServerResponse) => {
    const path = decodeURIComponent(request.url ?? '')
    const [, name = '', file] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.*))?$/.exec(path) ?? []
    const versions = packages().filter((one) => one.name === name)
    response.setHeader('Connection', 'close')
    if (versions.length === 0) return response.writeHead(404).end('{}')
    if (file !== undefined) {
      const one = versions.find(({ version }) => file === fileOf(name, version))
      return one === undefined ? response.writeHead(404).end() : response.end(archive(one))
    }
    const origin = `http://${request.headers.host}`
    const described = versions.map((one) => {
      const bytes = packed(one)
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
      const shasum = createHash('sha1').update(bytes).digest('hex')
      const dist = { integrity, shasum, tarball: `${origin}/${name}/-/${fileOf(name, one.version)}` }
      return [one.version, { name, version: one.version, ...one.manifest, dist }] as const
    })
    response.setHeader('Content-Type', 'application/json')
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: versions.at(-1)?.version },
        versions: Object.fromEntries(described),
      }),
    )
  })
}

const fileOf = (name: string, version: string) => `${name.replace(/^@[^/]*\//, '')}-${version}.tgz`
