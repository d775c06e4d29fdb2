import { openText } from '../text/decode/document.js'
import { unifiedDiff } from '../text/diff/unified-diff.js'
import type { Workspace } from '../workspace/workspace.js'

/** Everything the history has recorded, as one patch for `git apply`. Binary files are listed at its head and omitted. */
export async function historyPatch({ history, root }: Workspace): Promise<string> {
  const omitted: string[] = []
  let patch = ''
  for (const { path, before, after, bytesBefore, bytesAfter } of await history.differences(undefined)) {
    const name = path.slice(root === '/' ? 1 : root.length + 1)
    if (isInGit(name) || (before.kind !== 'file' && after.kind !== 'file')) continue
    const [old, current] = [
      before.kind === 'file' ? bytesBefore : undefined,
      after.kind === 'file' ? bytesAfter : undefined,
    ]
    const texts = [old, current].map((bytes) => bytes && openText(bytes))
    if (texts.some((text, index) => text !== undefined && isBinary([old, current][index]))) {
      omitted.push(name)
      continue
    }
    patch += unifiedDiff({
      path: name,
      ...(texts[0] && { before: texts[0].text }),
      ...(texts[1] && { after: texts[1].text }),
    })
  }
  const head = omitted.map((name) => `# omitted binary file: ${name}\n`).join('')
  return head + patch
}

function isInGit(name: string): boolean {
  return /(^|\/)\.git(\/|$)/.test(name)
}

function isBinary(bytes: Uint8Array | undefined): boolean {
  return bytes?.subarray(0, 8000).includes(0) ?? false
}
