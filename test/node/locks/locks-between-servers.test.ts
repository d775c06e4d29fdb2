import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sample, scaled } from '../../scale.js'
import { canUnshare, editFromAll, leftIn, plantTree, type Way } from './parallel-servers.js'

const rounds = scaled(3)

/** Two ways to the same file for each. */
const cases: [name: string, ways: (directory: string) => [Way, Way], needs?: readonly string[]][] = [
  [
    'roots that lie in one another',
    (at) => [
      { root: join(at, 'repo'), file: 'pkg/lines.txt', state: join(at, 'state-a') },
      { root: join(at, 'repo/pkg'), file: 'lines.txt', state: join(at, 'state-a') },
    ],
  ],
  [
    'state directories of their own',
    (at) => [
      { root: join(at, 'repo'), file: 'pkg/lines.txt', state: join(at, 'state-a') },
      { root: join(at, 'repo'), file: 'pkg/lines.txt', state: join(at, 'state-b') },
    ],
  ],
  [
    'a link for a root',
    (at) => [
      { root: join(at, 'elsewhere/link'), file: 'lines.txt', state: join(at, 'state-a') },
      { root: join(at, 'repo'), file: 'pkg/lines.txt', state: join(at, 'state-b') },
    ],
  ],
  [
    'process and network namespaces of their own and one state directory',
    (at) => {
      const way = { root: join(at, 'repo'), file: 'pkg/lines.txt', state: join(at, 'state-a') }
      const through = ['unshare', '-p', '-f', '--mount-proc', '-n']
      return [
        { ...way, through },
        { ...way, through },
      ]
    },
    ['-p', '-f', '--mount-proc', '-n'],
  ],
  [
    'a mount of the same directory at another path',
    (at) => {
      const mount = `mount --bind '${join(at, 'repo/pkg')}' '${join(at, 'mounted')}' && exec "$@"`
      return [
        {
          root: join(at, 'mounted'),
          file: 'lines.txt',
          state: join(at, 'state-a'),
          through: ['unshare', '-m', '-p', '-f', '--mount-proc', 'sh', '-c', mount, 'sh'],
        },
        { root: join(at, 'repo'), file: 'pkg/lines.txt', state: join(at, 'state-b') },
      ]
    },
    ['-m', '-p', '-f', '--mount-proc'],
  ],
]

describe('edits of one file by two servers at once are all there when they are acknowledged, with', () => {
  test.for(sample(cases, { every: 2 }))('%s', async ([_name, ways, needs = []], { skip }) => {
    if (needs.length > 0 && !canUnshare(...needs)) skip('this machine does not let us make namespaces')
    const directory = await plantTree()
    const { acknowledged, refused, lost } = await editFromAll(directory, ways(directory), rounds)
    expect({ lost, refused }).toEqual({ lost: 0, refused: [] })
    expect(acknowledged).toBe(64 * rounds)
    await expect.poll(() => leftIn(directory)).toEqual([])
  })
})
