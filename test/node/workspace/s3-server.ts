/** s3rver, a server with the interface of S3 that checks signatures, in this process. A cache has it: it brings a hundred packages. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { packagesWith } from '../../runtimes/install.mjs'

export interface S3Server {
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  close(): Promise<void>
}

interface S3rver {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

/** The part of its store that is replaced. */
interface FileStore {
  getResourcePath(bucket: string, key: string, resource: string): string
  putMetadata(bucket: string, key: string, metadata: unknown, md5: string): Promise<void>
  putObject(object: StoredObject): Promise<{ size: number; md5: string }>
}

interface StoredObject {
  bucket: string
  key: string
  metadata: unknown
  content: Buffer | AsyncIterable<Buffer>
}

/** With one bucket, `bucket`. */
export async function startS3Server(): Promise<S3Server> {
  const packages = await packagesWith('s3rver@3.7.1')
  const require = createRequire(path.join(packages, 'package.json'))
  const S3rver = require('s3rver') as new (options: object) => S3rver
  const Store = require('s3rver/lib/stores/filesystem') as { prototype: FileStore }
  Store.prototype.putObject = putWhole
  const directory = await mkdtemp(path.join(tmpdir(), 'polyfs-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'bucket', configs: [] }],
  })
  const { port } = await server.run()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    async close() {
      await server.close()
      await rm(directory, { recursive: true })
    },
  }
}

/** As S3 does it: an object that is acknowledged is there, and never in part. s3rver itself answers while it still writes. */
async function putWhole(this: FileStore, { bucket, key, metadata, content }: StoredObject) {
  const parts: Buffer[] = []
  if (Buffer.isBuffer(content)) parts.push(content)
  else for await (const part of content) parts.push(part)
  const whole = Buffer.concat(parts)
  const place = this.getResourcePath(bucket, key, 'object')
  await mkdir(path.dirname(place), { recursive: true })
  await writeFile(`${place}-new`, whole)
  await rename(`${place}-new`, place)
  const md5 = createHash('md5').update(whole).digest('hex')
  await this.putMetadata(bucket, key, metadata, md5)
  return { size: whole.length, md5 }
}
