/** The directory of the host that has the layers of trees, until the last shell that uses it is closed. */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openPlace, removal, removePlace } from '../sandbox/temporary-place.js'

export interface LayerPlace {
  /** All of it. Mounts name what is in it by relative paths, which are short. */
  readonly directory: string
  /** A name that nothing has had. */
  newName(kind: string): string
  path(name: string): string
  /** Puts what hides an entry of a lower layer at a path of the host. */
  hide(file: string): void
  /** Starts to remove something, which may take a while. */
  remove(name: string): void
  close(): void
}

/** Where memory is: no disk waits for layers there. A container may have little of it, and then they are with other temporary files. */
const inMemory = '/dev/shm'
const leastFreeBytes = 1 << 30

export function layerParent(given?: string, { memory = true } = {}): string {
  if (given !== undefined) return given
  if (!memory) return os.tmpdir()
  try {
    fs.accessSync(inMemory, fs.constants.W_OK | fs.constants.X_OK)
    const { bavail, bsize } = fs.statfsSync(inMemory)
    return bavail * bsize >= leastFreeBytes ? inMemory : os.tmpdir()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return os.tmpdir()
    throw error
  }
}

export function openLayerPlace(parent: string): LayerPlace {
  const { directory, temporary } = openPlace(parent)
  let count = 0
  let whiteout: string | undefined

  function at(name: string): string {
    return path.join(temporary, name)
  }

  return {
    directory: temporary,
    newName(kind) {
      count += 1
      return `${kind}${count}`
    },
    path: at,
    hide(file) {
      whiteout ??= makeWhiteout(at('hidden'))
      try {
        fs.linkSync(whiteout, file)
      } catch (error) {
        // A disk limits how many names a file has.
        if ((error as NodeJS.ErrnoException).code !== 'EMLINK') throw error
        fs.rmSync(whiteout)
        whiteout = makeWhiteout(at('hidden'))
        fs.linkSync(whiteout, file)
      }
    },
    remove(name) {
      const target = at(name)
      try {
        fs.rmSync(target, { recursive: true, force: true })
      } catch {
        // A command may have left directories that can't be entered.
        const remover = spawn('/bin/sh', ['-c', `${removal}\nremove "$1"`, 'sh', target], {
          cwd: '/',
          env: { PATH: '/usr/bin:/bin' },
          stdio: 'ignore',
          detached: true,
        })
        remover.once('error', () => {})
        remover.unref()
      }
    },
    close: () => removePlace(directory),
  }
}

/** A device that every user may make: for the kernel it is the mark of an entry that is gone. Node can't make it, but can link it. */
function makeWhiteout(file: string): string {
  const made = spawnSync('mknod', [file, 'c', '0', '0'], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
  })
  if (made.status !== 0) throw new Error(made.error?.message ?? made.stderr.trim())
  return file
}
