/** Key-value stores by address, with the drivers of unstorage, but for S3. The only file that names unstorage; loaded with `--store`. */
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Driver, Storage } from 'unstorage'
import type { KeyValueStore } from '../../src/fs/backends/key-value/store.js'
import { type RequestSigner, s3Objects } from './s3.js'

export interface OpenedStore {
  store: KeyValueStore
  /** The directory of a store on this machine, for a lock beside it. */
  directory?: string
  /** A read may miss for so long what another process writes. */
  staleMs: number
  close(): Promise<void>
}

/** The store can't be opened; the message says why. */
export class StoreError extends Error {}

/** `redis://HOST:PORT/DB`, `s3://BUCKET/PREFIX`, `memory:`, or a directory. Secrets of S3 come from the environment. */
export function openStore(address: string, environment: NodeJS.ProcessEnv = process.env): OpenedStore {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(address) ?? []
  if (scheme === 'redis' || scheme === 'rediss') return redisStore(address)
  if (scheme === 's3') return s3Store(address, environment)
  if (address === 'memory:') return memoryStore()
  if (scheme === 'file') return directoryStore(fileURLToPath(address))
  // A letter is a drive of Windows.
  if (scheme === undefined || scheme.length === 1) return directoryStore(path.resolve(address))
  throw new StoreError(
    `--store takes redis://HOST:PORT, s3://BUCKET, memory: or a directory, not '${scheme}:'; other drivers of unstorage work with the library (docs/key-value.md)`,
  )
}

interface RedisClient {
  eval(script: string, keys: number, ...given: string[]): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): void
}

function redisStore(address: string): OpenedStore {
  const { url, base } = redisAddress(address)
  const driver = driverOf('redis', 'ioredis')({ url, base, connectTimeout: 5000, scanCount: 1000, ...patience })
  const client = driver.getInstance?.() as RedisClient
  let lastFault = ''
  client.on('error', ({ message }) => {
    lastFault = message
  })
  const { store, close } = withDriver(driver)
  const prefix = base === '' ? '' : `${base}:`

  /** The client says how often it has tried, not why it failed. */
  async function explained<Result>(call: Promise<Result>): Promise<Result> {
    try {
      return await call
    } catch (error) {
      const hasGivenUp = error instanceof Error && error.name === 'MaxRetriesPerRequestError'
      throw hasGivenUp ? new Error(`no connection to Redis (${lastFault || 'closed'})`, { cause: error }) : error
    }
  }

  return {
    staleMs: 0,
    close,
    store: {
      getItemRaw: (key) => explained(store.getItemRaw(key)),
      setItemRaw: (key, value) => explained(store.setItemRaw(key, value)),
      removeItem: (key) => explained(store.removeItem(key)),
      getKeys: (from) => explained(store.getKeys(from)),
      conditional: {
        replace: async (key, expected, value) =>
          (await explained(client.eval(replaceScript, 1, prefix + key, stored(expected), stored(value)))) === 1,
      },
    },
  }
}

/** A connection that is lost is waited for, about two seconds. */
const patience = { maxRetriesPerRequest: 8, retryStrategy: (times: number) => Math.min(times * 50, 500) }

/** The base is a prefix of all keys, so that several users can share a database. */
function redisAddress(address: string): { url: string; base: string } {
  const url = parsed(address)
  const base = url.searchParams.get('base') ?? ''
  url.searchParams.delete('base')
  return { url: url.href, base: base.replace(/:+$/, '') }
}

/** Values as unstorage writes them where a driver has no bytes; nothing stands for no value. */
function stored(value: Uint8Array | undefined): string {
  return value === undefined ? '' : `base64:${Buffer.from(value).toString('base64')}`
}

const replaceScript = `
local now = redis.call('GET', KEYS[1]) or ''
if now ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2]) end
return 1`

function s3Store(address: string, environment: NodeJS.ProcessEnv): OpenedStore {
  const url = parsed(address)
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new StoreError('--store s3: needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment')
  }
  const region =
    url.searchParams.get('region') ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? 'us-east-1'
  const endpoint =
    url.searchParams.get('endpoint') ??
    environment.AWS_ENDPOINT_URL_S3 ??
    environment.AWS_ENDPOINT_URL ??
    `https://s3.${region}.amazonaws.com`
  const { AwsClient } = requirePeer<{ AwsClient: new (options: object) => RequestSigner }>('aws4fetch', ['aws4fetch'])
  const signer = new AwsClient({ service: 's3', accessKeyId, secretAccessKey, region })
  const prefix = url.pathname.replaceAll('/', ':')
  const store = s3Objects({ endpoint: endpoint.replace(/\/$/, ''), name: url.hostname, prefix }, signer)
  // One process writes, and knows what it wrote: asking before each read would take longer than the read.
  return { staleMs: 1000, store, close: async () => {} }
}

function memoryStore(): OpenedStore {
  const opened = withDriver(driverOf('memory')({}))
  return { ...opened, staleMs: 0, store: { ...opened.store, wholeWrites: true } }
}

function directoryStore(directory: string): OpenedStore {
  const opened = withDriver(driverOf('fs')({ base: directory, ignore: [] }))
  const store: KeyValueStore = {
    ...opened.store,
    async setItemRaw(key, value) {
      try {
        await opened.store.setItemRaw(key, value)
      } catch (error) {
        const { code, path: file } = error as NodeJS.ErrnoException
        if (code !== 'ENOENT' || file === undefined) throw error
        // The driver does not say why it could not create a directory.
        await mkdir(path.dirname(file), { recursive: true })
        await opened.store.setItemRaw(key, value)
      }
    },
  }
  return { ...opened, staleMs: 0, store, directory }
}

function withDriver(driver: Driver): Pick<OpenedStore, 'store' | 'close'> {
  const { createStorage } = requirePeer<{ createStorage(options: { driver: Driver }): Storage }>('unstorage')
  const storage = createStorage({ driver })
  const store: KeyValueStore = {
    getItemRaw: (key) => storage.getItemRaw(key),
    setItemRaw: (key, value) => storage.setItemRaw(key, value),
    removeItem: (key) => storage.removeItem(key),
    getKeys: (base) => storage.getKeys(base),
  }
  return { store, close: () => storage.dispose() }
}

function parsed(address: string): URL {
  try {
    return new URL(address)
  } catch {
    throw new StoreError(`not an address of a store: '${address}'`)
  }
}

/** `peer` is the package that the driver needs beside unstorage. */
function driverOf(name: string, peer?: string): (options: object) => Driver {
  const module = requirePeer<{ default?: (options: object) => Driver }>(`unstorage/drivers/${name}`, [
    'unstorage',
    ...(peer === undefined ? [] : [peer]),
  ])
  return module.default ?? (module as unknown as (options: object) => Driver)
}

/** A module of a package that is installed beside the server, or in the directory it was started from; `wanted` are the packages it takes. */
function requirePeer<Module>(name: string, wanted: readonly string[] = ['unstorage']): Module {
  for (const from of [import.meta.url, path.join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(from)(name) as Module
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new StoreError(
    `--store needs the package${wanted.length > 1 ? 's' : ''} ${wanted.join(' and ')} (npm install ${wanted.join(' ')})`,
  )
}
