/** Writes files so that readers see them whole or not at all. */

/**
 * `createWritable` collects the bytes in a swap file, which replaces the file on `close`. A sync access handle is never
 * used for writing: it writes in place, and a crash leaves a torn file.
 */
export async function replaceWhole(
  handle: FileSystemFileHandle,
  content: Blob | Uint8Array<ArrayBuffer>,
): Promise<void> {
  if (!('createWritable' in handle)) throw new DOMException('There is no createWritable here', 'NotSupportedError')
  const writable = await handle.createWritable()
  try {
    await writable.write(content)
    await writable.close()
  } catch (error) {
    // Discards the swap file. A failed stream may reject this; the write's own error is what counts.
    await writable.abort().catch(() => {})
    throw error
  }
}

/**
 * In OPFS the file is written under a temporary name and moved: created in place, it would be visible and empty until
 * `close`. In a local folder it is created in place, because moving is not reliable there; see `canMove`.
 */
export async function createWhole(
  parent: FileSystemDirectoryHandle,
  name: string,
  content: Blob | Uint8Array<ArrayBuffer>,
  { moves }: { moves: boolean },
): Promise<void> {
  const handle = await parent.getFileHandle(moves ? temporaryName(name) : name, { create: true })
  try {
    await replaceWhole(handle, content)
    if (moves) await move(handle, parent, name)
  } catch (error) {
    await parent.removeEntry(handle.name)
    throw error
  }
}

/**
 * True in OPFS, where the browser has `move`. In a local folder of headless Chromium 156 on Linux, moving a file to a name in
 * `.sh`, `.py` or `.desktop` never finished, presumably waiting for a user to confirm; writing such a file did.
 */
export function canMove({ opfs }: { opfs: boolean }): boolean {
  return opfs && 'move' in FileSystemFileHandle.prototype
}

/** Moves a file, replacing one of that name. Only where `canMove`. */
export async function move(file: FileSystemFileHandle, parent: FileSystemDirectoryHandle, name: string): Promise<void> {
  await (file as FileSystemFileHandle & Movable).move(parent, name)
}

/** Missing in TypeScript's library. */
interface Movable {
  move(parent: FileSystemDirectoryHandle, name: string): Promise<void>
}

/** The name of a file until it is whole. A long name is cut, because one of more than 255 bytes fits on no disk. */
function temporaryName(name: string): string {
  const letters = [...name]
  while (encoder.encode(letters.join('')).length > maxNameBytes - ending.length) letters.pop()
  return letters.join('') + ending
}

/** What a write to this name needs for itself: the name, and that under which its leftover would be swept. */
export function namesOfWrite(name: string): string[] {
  return [...new Set([name, leftoverOf(temporaryName(name))])]
}

const encoder = new TextEncoder()
const maxNameBytes = 255
const ending = '.polyfs-new'

/** True for the temporary name of a write in progress or interrupted. */
export function isLeftover(name: string): boolean {
  return leftoverName.test(name)
}

/** The name of the file that the leftover belongs to. */
export function leftoverOf(name: string): string {
  return name.replace(leftoverName, '')
}

const leftoverName = /(\.polyfs-new)?(\.\d+)?(\.crswap)$|\.polyfs-new$/
