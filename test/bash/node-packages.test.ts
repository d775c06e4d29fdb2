import { expect, test } from 'vitest'
import { scaled, seeded } from '../scale.js'
import { packageTree } from './package-trees.js'
import { bothNodes, otherVersion } from './same-as-node.js'

const nodes = bothNodes()

test('requests from generated trees of packages find what they find in Node, and fail with the same codes', async ({
  skip,
}) => {
  if (otherVersion !== undefined) skip(otherVersion)
  const wrong: unknown[] = []
  for (let index = 0; index < scaled(40); index += 1) {
    const seed = seeded(index)
    const { tree, script } = packageTree(seed)
    const { ours, theirs } = await nodes.both({ ...tree, 'all.cjs': script }, ['--no-warnings', 'all.cjs'])
    expect(theirs.stdout.split('\n').length).toBeGreaterThan(40)
    const [one, other] = [linesOf(ours.stdout), linesOf(theirs.stdout)]
    const at = one.findIndex((line, place) => line !== other[place] && !isExcused(line, other[place] ?? ''))
    if (at !== -1) wrong.push({ seed, ours: one.slice(at, at + 2), theirs: other.slice(at, at + 2) })
  }
  expect(wrong).toEqual([])
}, 600_000)

/**
 * The engine does not tell which attributes an import has, so JSON is imported without them. A file without an ending that a package calls
 * CommonJS and that is an ES module is wrong for both: Node says that it requires itself.
 */
function isExcused(ours: string, theirs: string): boolean {
  if (theirs.endsWith('-> ERR_IMPORT_ASSERTION_TYPE_MISSING')) return true
  return theirs.endsWith('-> ERR_REQUIRE_CYCLE_MODULE') && ours.endsWith('-> SyntaxError')
}

function linesOf(text: string): string[] {
  return text.split('\n')
}
