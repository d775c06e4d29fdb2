/** Copies what another repository has and this one lacks. */
import { join } from '../../../src/fs/path.js'
import { modes } from '../../../src/git/objects/tree.js'
import type { Repository } from '../../../src/git/repository.js'
import { parseTagObject } from '../objects.js'

/** Everything that can be reached from some objects. What the target has, it has with all that belongs to it. */
export async function copyObjects(from: Repository, to: Repository, wanted: Iterable<string>): Promise<void> {
  const seen = new Set<string>()
  const pending = [...wanted]
  for (let oid = pending.pop(); oid !== undefined; oid = pending.pop()) {
    if (seen.has(oid)) continue
    seen.add(oid)
    if (await to.objects.store.has(oid)) continue
    const { type, bytes } = await from.objects.store.read(oid)
    await to.objects.writeObject(type, bytes)
    if (type === 'commit') {
      const { tree, parents } = await from.objects.readCommit(oid)
      pending.push(tree, ...parents)
    } else if (type === 'tag') pending.push(parseTagObject(bytes).object)
    else if (type === 'tree') {
      for (const entry of await from.objects.readTree(oid)) if (entry.mode !== modes.submodule) pending.push(entry.oid)
    }
  }
}

/** All files with objects, as they are: for a new repository. */
export async function copyObjectFiles(from: Repository, to: Repository): Promise<void> {
  // At another place another rule may hold.
  await from.objects.requireAllReadable()
  const [source, target] = [join(from.commonDirectory, 'objects'), join(to.commonDirectory, 'objects')]
  for (const directory of await from.staged.list(source)) {
    if (directory !== 'pack' && !/^[0-9a-f]{2}$/.test(directory)) continue
    for (const name of await from.staged.list(join(source, directory))) {
      if (directory === 'pack' ? !/^pack-[^/]*\.(pack|idx)$/.test(name) : !/^[0-9a-f]{38}$/.test(name)) continue
      const path = `${directory}/${name}`
      await to.staged.write(join(target, path), await from.staged.reader(join(source, path))())
    }
  }
}
