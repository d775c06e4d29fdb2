/** A new OPFS directory, and raw access to it for checks. */
export async function scratchDirectory(): Promise<FileSystemDirectoryHandle> {
  const top = await navigator.storage.getDirectory()
  return top.getDirectoryHandle(crypto.randomUUID(), { create: true })
}

export async function namesIn(directory: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = []
  for await (const name of directory.keys()) names.push(name)
  return names.sort()
}

export async function put(
  directory: FileSystemDirectoryHandle,
  name: string,
  text: string,
): Promise<FileSystemFileHandle> {
  const handle = await directory.getFileHandle(name, { create: true })
  const writable = await handle.createWritable()
  await writable.write(text)
  await writable.close()
  return handle
}

export async function textOf(directory: FileSystemDirectoryHandle, name: string): Promise<string> {
  const handle = await directory.getFileHandle(name)
  return (await handle.getFile()).text()
}
