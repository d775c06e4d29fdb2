/** Shows pictures, which have no text to edit. */
import { basename } from '../../src/fs/path.js'
import type { App } from '../page/app.js'
import { formatBytes, h } from '../page/dom.js'

const types: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
}

export interface ImageView {
  body: HTMLElement
  close(): void
}

/** Undefined for a file that is not a picture by its name. */
export async function imageView(app: App, path: string): Promise<ImageView | undefined> {
  const type = types[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]
  if (type === undefined) return undefined
  const { bytes } = await app.workspace.files.run('readBytes', { path })
  const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type }))
  const facts = h('figcaption', { class: 'when' }, formatBytes(bytes.length))
  const image = h('img', { src: url, alt: basename(path) })
  image.addEventListener('load', () => {
    facts.textContent = `${image.naturalWidth} × ${image.naturalHeight} · ${formatBytes(bytes.length)}`
  })
  image.addEventListener('error', () => {
    facts.textContent = `${formatBytes(bytes.length)}; the browser can’t show it as a picture.`
  })
  return { body: h('figure', { class: 'picture' }, image, facts), close: () => URL.revokeObjectURL(url) }
}
