/** Keeps the image of a started Python in the page's storage, so that a later visit starts quickly. */
import { packedImage, unpackedImage } from '../../bash/programs/python/host/packed-image.js'
import type { PythonImage } from '../../bash/programs/python/wire.js'

export interface ImageStore {
  read(name: string | undefined): Promise<PythonImage | undefined>
  write(name: string | undefined, image: PythonImage): Promise<void>
}

const cacheName = 'polyfs-python'
const digestBytes = 32

/** Where there is no storage, as in pages without TLS, nothing is kept. A failure costs time, nothing else. */
export function imageStore(): ImageStore {
  const address = (name: string) => new URL(`polyfs-python-image/${name}`, location.origin)

  return {
    async read(name) {
      if (name === undefined) return undefined
      try {
        const found = await (await caches.open(cacheName)).match(address(name))
        if (found === undefined) return undefined
        const bytes = new Uint8Array(await found.arrayBuffer())
        const content = bytes.subarray(digestBytes)
        if (!isSame(await digestOf(content), bytes.subarray(0, digestBytes))) return undefined
        return unpackedImage(content, (size) => new ArrayBuffer(size))
      } catch {
        return undefined
      }
    },
    async write(name, image) {
      if (name === undefined) return
      try {
        const content = packedImage(image)
        // An image of another version is of no use any more.
        await caches.delete(cacheName)
        const cache = await caches.open(cacheName)
        await cache.put(address(name), new Response(new Blob([await digestOf(content), content])))
      } catch {
        // The next visit makes it again.
      }
    },
  }
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}
