/** Writing a file so that it is seen whole or not at all. */
/**
 * `createWritable` collects the bytes in a swap file and puts that in place on `close`. A sync access handle writes in place
 * and leaves a torn file after a crash, so it is never used for writing.
 */
export async function replaceWhole(
  handle: FileSystemFileHandle,
  content: Blob | Uint8Array<ArrayBuffer>,
): Promise<void> {
  const writable = await handle.createWritable()
  try {
    await writable.write(content)
    await writable.close()
  } catch (error) {
    // Drops the swap file. A stream that has failed may refuse it; what counts is why the write failed.
    await writable.abort().catch(() => {})
    throw error
  }
}

/**
 * In OPFS the file is written beside its name and moved there: created in place, it would be there empty until `close`.
 * In a local folder it is created in place, because there a move is not free; see `canMove`.
 */
export async function createWhole(
  parent: FileSystemDirectoryHandle,
  name: string,
  content: Blob | Uint8Array<ArrayBuffer>,
  { moves }: { moves: boolean },
): Promise<void> {
  const handle = await parent.getFileHandle(moves ? `${name}.polyfs-new` : name, { create: true })
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
 * `.sh`, `.py` or `.desktop` never came back, presumably waiting for a user to confirm; writing such a file did.
 */
export function canMove({ opfs }: { opfs: boolean }): boolean {
  return opfs && 'move' in FileSystemFileHandle.prototype
}

/** Replaces a file of that name. Only where `canMove`. */
export async function move(file: FileSystemFileHandle, parent: FileSystemDirectoryHandle, name: string): Promise<void> {
  await (file as FileSystemFileHandle & Movable).move(parent, name)
}

/** Not in TypeScript's library yet. */
interface Movable {
  move(parent: FileSystemDirectoryHandle, name: string): Promise<void>
}

/** True for the names of writes that are in progress, or were when the browser went away. */
export function isLeftover(name: string): boolean {
  return leftoverName.test(name)
}

/** The file that a leftover was to become. */
export function leftoverOf(name: string): string {
  return name.replace(leftoverName, '')
}

const leftoverName = /(\.polyfs-new)?(\.\d+)?(\.crswap)$|\.polyfs-new$/
