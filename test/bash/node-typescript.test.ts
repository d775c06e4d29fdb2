import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAst } from 'vite'
import { afterAll, describe, expect, test } from 'vitest'
import { stripTypes, UnsupportedSyntax } from '../../bash/programs/node/host/typescript/strip-types.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'
import { sample } from '../scale.js'

const root = path.join(import.meta.dirname, '../..')

/** What Node's own type stripping makes of it, byte for byte. */
const stripped: ReadonlyArray<readonly [string, string]> = [
  ['const x: number = 1 as any', 'const x         = 1       '],
  ['f<T>(a!)', 'f   (a )'],
  ['import {type A, b} from "x"', 'import {        b} from "x"'],
  [
    'import {type A} from "x"; import type B, {C} from "y"; b',
    'import {      } from "x";                              b',
  ],
  ['export {type D}; export type {E} from "z"; export type * from "q"', `export {      }; ${' '.repeat(48)}`],
  ['import type from "a"', 'import type from "a"'],
  ['const a = 1\ninterface X {}\n(b)()', 'const a = 1\n;             \n(b)()'],
  ['const f = (a): \n T => 1', 'const f = (a   \n ) => 1'],
  ['const g = async <\nT>(a) => 1', 'const g = async (\n   a) => 1'],
  ['x as any\n(foo)()', 'x ;     \n(foo)()'],
  ['let a = b!\n[c]', 'let a = b \n[c]'],
  ['function f(this: A, b) {}', 'function f(         b) {}'],
  [
    'class A { static async *x<T>(): any {} ; readonly [k]?: T }',
    'class A { static async *x   ()      {} ; ;        [k]     }',
  ],
  [
    'abstract class A { abstract x: number; abstract get y(): T }',
    '         class A {                                         }',
  ],
  [
    'function over(a: string): void\nfunction over(a: any) {}',
    '                              \nfunction over(a     ) {}',
  ],
  ['namespace N { export type a = 1 }', '                                 '],
  ['const v = <const T,>(x: T) => x satisfies T', 'const v =           (x   ) => x            '],
]

const refused: ReadonlyArray<readonly [string, string]> = [
  ['enum A {}', 'TypeScript enum is not supported in strip-only mode'],
  ['export const enum A {}', 'TypeScript enum is not supported in strip-only mode'],
  ['namespace N { export const a = 1 }', 'TypeScript namespace declaration is not supported in strip-only mode'],
  ['namespace N { namespace M { f() } }', 'TypeScript namespace declaration is not supported in strip-only mode'],
  ['module M { const x = 1 }', '`module` keyword is not supported. Use `namespace` instead.'],
  ['import a = require("x")', 'TypeScript import equals declaration is not supported in strip-only mode'],
  ['export = 1', 'TypeScript export assignment is not supported in strip-only mode'],
  ['class A { constructor(b, private a) {} }', 'TypeScript parameter property is not supported in strip-only mode'],
  [
    'const a = <any>b',
    "The angle-bracket syntax for type assertions, `<T>expr`, is not supported in type strip mode. Instead, use the 'as' syntax: `expr as T`.",
  ],
]

function strippedOrRefused(text: string): string | undefined {
  try {
    return stripTypes(text)
  } catch (error) {
    if (error instanceof UnsupportedSyntax) return undefined
    throw error
  }
}

describe('types become spaces', () => {
  test.for(stripped)('of %j', ([text, expected]) => {
    expect(stripTypes(text)).toBe(expected)
  })
  test.for(refused)('%j is more than types', ([text, message]) => {
    expect(() => stripTypes(text)).toThrow(message)
  })
  test('in the files of this repository, where everything else keeps its place', () => {
    const names = execFileSync('git', ['ls-files', '*.ts'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
    const files = sample(
      names.filter((name) => !name.endsWith('.d.ts')),
      { every: 20 },
    )
    for (const name of files) {
      const text = readFileSync(path.join(root, name), 'utf8')
      const made = strippedOrRefused(text)
      if (made === undefined) continue
      expect(() => parseAst(made), name).not.toThrow()
      expect(made.length, name).toBe(text.length)
      const changed = [...text.split('').keys()].filter((at) => made[at] !== text[at])
      expect(
        changed.filter((at) => !' ;()'.includes(made[at] as string)),
        name,
      ).toEqual([])
    }
    expect(files.length).toBeGreaterThan(50)
  })
})

describe('node runs TypeScript', () => {
  const tree = {
    '/main.ts': `import { add, type Sum } from './add.ts'\nconst sum: Sum = add(1, 2)\nconsole.log(sum satisfies number)\n`,
    '/add.ts': 'export type Sum = number\nexport function add(a: number, b: number): Sum {\n  return a + b\n}\n',
    '/old.cts': 'const { add }: any = require("./add.ts")\nmodule.exports = add(2, 2) as number\n',
    '/plain.js': 'console.log(require("./old.cts"))\n',
    '/fails.ts': 'interface A { b: string }\n\nfunction f(a: A): never { throw new Error(a.b) }\nf({ b: "no" } as A)\n',
    '/fails.js':
      'interface A { b: string }\n\nfunction f(a: A): never { throw new Error(a.b) }\nf({ b: "no" } as A)\n'.replace(
        /interface.*|: A|: never| as A/g,
        (type) => ' '.repeat(type.length),
      ),
    '/enum.ts': 'enum A { B }\n',
    '/node_modules/p/index.ts': 'export const a: number = 1\n',
    '/package.test.ts': 'import "p/index.ts"\n',
  }
  const workspace = createWorkspace({
    fs: memory(tree),
    shell: emulatedShell({ worker: built('node/emulated-worker.js') }),
  })
  afterAll(() => workspace.shell?.close())

  test.for([
    ['node --no-warnings main.ts', '3\n'],
    ['node --no-warnings --experimental-strip-types main.ts', '3\n'],
    ['node plain.js', '4\n'],
    ['node --no-warnings --import ./main.ts plain.js', '3\n4\n'],
  ] as const)('%s', async ([command, stdout]) => {
    const ran = await run(workspace, command)
    expect([ran.stdout, ran.stderr, ran.exitCode]).toEqual([stdout, '', 0])
  })

  test('an error is at the line and column that it would have without types', async () => {
    const ran = await run(workspace, 'node fails.ts')
    const plain = await run(workspace, 'node fails.js')
    expect(ran.stderr).toBe(plain.stderr.replaceAll('fails.js', 'fails.ts'))
    expect(ran.stderr).toMatch(/^Error: no\n {4}at f \(\/fails.ts:3:\d+\)$/m)
    expect(ran.exitCode).toBe(1)
  })

  test.for([
    ['node enum.ts', 'TypeScript enum is not supported in strip-only mode (/enum.ts)'],
    ['node --no-warnings package.test.ts', 'Stripping types is currently unsupported for files under node_modules'],
  ] as const)('%s fails', async ([command, message]) => {
    const ran = await run(workspace, command)
    expect(ran.stderr).toContain(message)
    expect(ran.exitCode).toBe(1)
  })
})
