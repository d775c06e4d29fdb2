import { openText } from '../../src/text/decode/document.js'
import { unifiedDiff } from '../../src/text/diff/unified-diff.js'
import type { Workspace } from '../../src/workspace.js'

/** Everything the history knows of, as one patch that `git apply` takes. Files that are no text are named in its head, and left out. */
export async function historyPatch({ history, root }: Workspace): Promise<string> {
  const omitted: string[] = []
  let patch = ''
  for (const { path, before, after, bytesBefore, bytesAfter } of await history.differences(undefined)) {
    const name = path.slice(root === '/' ? 1 : root.length + 1)
    if (isInGit(name) || (before.kind !== 'file' && after.kind !== 'file')) continue
    const [old, now] = [
      before.kind === 'file' ? bytesBefore : undefined,
      after.kind === 'file' ? bytesAfter : undefined,
    ]
    const texts = [old, now].map((bytes) => bytes && openText(bytes))
    if (texts.some((text, index) => text !== undefined && isBinary([old, now][index]))) {
      omitted.push(name)
      continue
    }
    patch += unifiedDiff({
      path: name,
      ...(texts[0] && { before: texts[0].text }),
      ...(texts[1] && { after: texts[1].text }),
    })
  }
  const head = omitted.map((name) => `# left out, since it is no text: ${name}\n`).join('')
  return head + patch
}

function isInGit(name: string): boolean {
  return /(^|\/)\.git(\/|$)/.test(name)
}

function isBinary(bytes: Uint8Array | undefined): boolean {
  return bytes?.subarray(0, 8000).includes(0) ?? false
}
