/** The links of both layers of an overlay: `upper` may have some whose target it could not make. */
import { FsError, isFsError } from '../../errors.js'
import type { FileSystem, LinkOptions } from '../types.js'
import { foreignLinks } from './foreign-links.js'

export interface OverlayLinks {
  /** The target of a link in a layer. */
  read(fs: FileSystem, path: string, options: LinkOptions): Promise<string>
  /** The same as a link has to be made from it. */
  describe(fs: FileSystem, path: string): Promise<{ target: string; verbatim: boolean }>
  /** Makes a link in `upper`. */
  make(target: string, path: string, options: LinkOptions): Promise<void>
  /** To be called when entries of `upper` are removed. */
  drop(path: string): void
  /** To be called when entries of `upper` are renamed. */
  move(from: string, to: string): void
}

export function overlayLinks(upper: FileSystem): OverlayLinks {
  const foreign = foreignLinks()

  async function read(fs: FileSystem, path: string, options: LinkOptions): Promise<string> {
    const text = fs === upper ? foreign.textAt(path) : undefined
    if (text === undefined) return (await fs.readLink?.(path, options)) ?? ''
    if (!options.verbatim) throw new FsError('OUTSIDE', { path })
    return text
  }

  return {
    read,
    async describe(fs, path) {
      try {
        return { target: await read(fs, path, {}), verbatim: false }
      } catch (error) {
        if (!isFsError(error, 'OUTSIDE')) throw error
        return { target: await read(fs, path, { verbatim: true }), verbatim: true }
      }
    },
    async make(target, path, { verbatim = false }) {
      await upper.symlink?.(target, path)
      if (verbatim) foreign.keep(path, target)
    },
    drop: foreign.drop,
    move: foreign.move,
  }
}
