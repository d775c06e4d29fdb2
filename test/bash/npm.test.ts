import { afterAll, describe, expect, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'
import { sample } from '../scale.js'
import type { NodeTree } from './same-as-node.js'
import { bothNpms, otherNpm } from './same-as-npm.js'

/** A project with workspaces, a package that is installed and one that is not. */
const shop: NodeTree = {
  'package.json': String.raw`{
  "name": "shop",
  "version": "1.4.2",
  "main": "src/index.js",
  "bin": {"shop": "bin/shop.js"},
  "config": {"port": 8080, "deep": {"a": [1, true, null]}},
  "engines": {"node": ">=18"},
  "workspaces": ["packages/*"],
  "scripts": {
    "prebuild": "echo cleaning",
    "build": "echo build \"$@\" $npm_lifecycle_event",
    "postbuild": "echo built",
    "multi": "echo one\necho two",
    "test": "exit 4",
    "start": "echo started",
    "variables": "env | grep -E '^(npm_package|npm_life|npm_command|npm_config_(loglevel|if|local|npm_v)|COLOR|INIT)' | sort | grep -v npm_version",
    "words": "printf '<%s>'",
    "nested": "npm run build"
  },
  "dependencies": {"tiny-add": "^1.0.0", "gone": "1"}
}
`,
  'src/a.js': '',
  'bin/shop.js': '#!/usr/bin/env node\nconsole.log("shop", process.argv.slice(2))\n',
  'packages/a/package.json': '{"name":"a","version":"1.0.0","scripts":{"test":"echo testing a","x":"echo x"}}\n',
  'packages/b/package.json': '{"name":"b","version":"2.0.0","scripts":{"test":"exit 3","x":"echo xb"}}\n',
  'node_modules/tiny-add/package.json': '{"name":"tiny-add","version":"1.0.3","bin":{"tiny-add":"cli.js"}}\n',
  'node_modules/tiny-add/cli.js':
    '#!/usr/bin/env node\nconsole.log(process.argv.slice(2), process.cwd(), process.env.npm_lifecycle_event, process.env.npm_command)\n',
  'node_modules/.bin/tiny-add': { link: '../tiny-add/cli.js' },
}

const inShop = [
  'npm run variables; npm run -s variables; npm run --if-present variables -w a',
  String.raw`npm run words -- 1 '' "q'q" 'a|b' '*' '$x'`,
  String.raw`npm run build -- a "b c" 'd$e' "it's"`,
  'npm run build x y --z',
  'npm run multi',
  'npm test',
  'npm run nope',
  'npm run buil',
  'npm tes',
  'npm strat',
  'npm isntal2',
  'npm run nested',
  'npm run nested -s',
  'npm run test -w a',
  'npm test --workspaces',
  'npm run x --workspaces',
  'npm run -ws',
  'npm run',
  'npm run --if-present nope -ws',
  'cd packages/a && npm run x && npm prefix && npm root',
  'cd packages/b && npm test',
  'cd src && npm prefix && npm root && npm start',
  'npx tiny-add 1 2',
  'cd src; npx tiny-add 1 2',
  'npm exec tiny-add -- 1 --x "a b"',
  'npm exec -- tiny-add 1 --x',
  String.raw`npx -c "tiny-add 9; echo \$npm_lifecycle_event"`,
  'npx --no-install tiny-add 3',
  'npx --yes tiny-add 3 -y --version',
  'npx -w a tiny-add',
  'npm pkg get',
  'npm pkg get name version',
  'npm pkg get name',
  'npm pkg get scripts.test',
  'npm pkg get nope; npm pkg get config.deep; npm pkg get config.deep.a; npm pkg get workspaces',
  'npm pkg get config.deep.a[0]',
  'npm pkg get name -ws',
  'npm pkg set foo=bar --json; cat package.json',
  'npm pkg set contributors[]=x contributors[]=y a.b.c=3; cat package.json',
  'npm pkg set keywords[0]=one n=5 && npm pkg get n keywords; npm pkg set private=true --json; npm pkg get private; npm pkg delete n keywords; cat package.json',
  `npm pkg set "scripts[test:unit]=node t" 'exports[.].import=./a.js' name=other; cat package.json`,
  'npm pkg set name.first=x; npm pkg set workspaces.x=1; npm pkg set x[]=1 x.y=2; npm pkg set __proto__.x=1',
  'npm pkg delete scripts dependencies; cat package.json',
  `npm pkg set description='A = B'; npm pkg get description`,
  'npm ls',
  'npm ls --all',
  'npm ls --json',
  'npm ls --parseable',
  'npm ls nope',
  'npm ls tiny-add',
  'npm ls --depth=0',
  'npm bin',
  'npm -s test',
  'npm --silent run nope',
  'npm run --silent',
  'npm run build --ignore-scripts',
  'npm run restart',
  'npm restart',
  'npm stop',
  'npm --prefix packages/a run x',
  'npm run x --prefix=packages/b',
  'npm -C packages/a run x',
  'npm run x -w packages/b',
  'npm run x -w ./packages/b',
  'npm run x -w packages',
  'npm run x -w nope',
  'npm run x --workspace=a --workspace=b',
  'npm run nope -ws',
  'npm run test -ws --if-present --include-workspace-root',
  'npm run-script x -w a',
  'npm t -w a',
  'npm run test --json -w a',
  'npm run --json',
  'npm run --parseable',
  'npm run x --workspaces=false; npm root -ws',
  'npm version patch; cat package.json',
  'npm version 1.4.2',
  'npm version v2.0.0-beta.1 && npm version prerelease && npm version prerelease --preid rc && npm version premajor && npm version preminor --preid=x && npm version prepatch && npm version patch',
  'npm version bogus',
  'npm pkg',
  'npm pkg set',
  'npm pkg delete',
  'LOGLEVEL= npm_config_loglevel=silent npm run build',
  `echo 'loglevel=silent' > .npmrc; npm run build`,
]

const inAnEmptyDirectory = [
  'npm init -y; cat package.json; npm init -y; npm version patch; npm version major; npm run; npm start; npm test',
  'npm test',
  'npm run',
  'npm ls',
  'npm pkg get name',
  'npm version patch',
  'npm root; npm prefix',
  'echo "{bad" > package.json; npm test; npm run x; npm pkg get',
  `echo '{"name": "x",}' > package.json; npm test`,
  'echo -n > package.json; npm test',
  `echo '{"a": 1' > package.json; npm test`,
  'mkdir -p "A b" && cd "A b" && echo > z.js && mkdir test lib && npm init --yes && cat package.json',
  'mkdir node-foo.js && cd node-foo.js && git init -q && git remote add origin git@github.com:u/r.git; npm init -y',
  'echo > server.js; npm init -y; npm pkg get scripts; npm start',
  `echo '{"scripts":{"a":"echo a"}}' > package.json; npm run; npm run a; npm run b; npm test`,
  `echo '{"name":"n","scripts":{"a":"echo a","test":5}}' > package.json; npm run; npm run a; npm test`,
  String.raw`printf '{\r\n\t"name": "w",\r\n\t"version": "0.1.0"\r\n}\r\n' > package.json; npm pkg set a=b; npm version minor; cat -A package.json`,
  `printf '{"name": "w", "version": "0.1.0"}' > package.json; npm pkg set a=b; npm version minor; cat package.json`,
  `git init -q; git config user.name n; git config user.email e@x; npm init -y >/dev/null; git add .; git commit -qm one; npm version minor; git log --format=%s; git tag; npm version patch -m 'rel %s' --no-git-tag-version; git status --short; npm version patch`,
]

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`

/** Packages that need each other: some twice, some missing, of the wrong version, or needed by nobody. */
const packages: NodeTree = {
  'package.json': json({
    name: 't',
    version: '1.0.0',
    dependencies: { a: '^1.0.0', b: '2.x', l: 'file:./l' },
    devDependencies: { d: '~0.1.0' },
    optionalDependencies: { o: '*' },
    workspaces: ['l'],
  }),
  'l/package.json': json({ name: 'l', version: '3.0.0', dependencies: { a: '1' } }),
  'node_modules/l': { link: '../l' },
  'node_modules/a/package.json': json({
    name: 'a',
    version: '1.2.3',
    dependencies: { c: '^1', b: '^1.0.0' },
    peerDependencies: { p: '1' },
  }),
  'node_modules/a/node_modules/b/package.json': json({ name: 'b', version: '1.0.5' }),
  'node_modules/b/package.json': json({ name: 'b', version: '3.0.0', dependencies: { c: '1' } }),
  'node_modules/c/package.json': json({ name: 'c', version: '1.0.0', dependencies: { a: '*' } }),
  'node_modules/d/package.json': json({ name: 'd', version: '0.1.9', dependencies: { '@s/x': '1 - 2' } }),
  'node_modules/@s/x/package.json': json({ name: '@s/x', version: '1.5.0' }),
  'node_modules/e/package.json': json({ name: 'e', version: '0.0.1' }),
}

const amongPackages = [
  'npm ls',
  'npm ls --all',
  'npm ls -a --json',
  'npm ls c',
  'npm ls b@1',
  'npm ls --depth=1',
  'npm ls --omit=dev',
  'npm ls --prod',
  'npm ls -p --all',
  'npm ls -w l',
  'npm ls --json --depth 0',
]

describe.skipIf(otherNpm !== undefined)('npm does what the original does', () => {
  const both = bothNpms()
  const cases: ReadonlyArray<readonly [string, NodeTree, readonly string[]]> = [
    ['in a project with workspaces', shop, inShop],
    ['in an empty directory', {}, inAnEmptyDirectory],
    ['among packages', packages, amongPackages],
  ]
  describe.each(cases)('%s', (_, tree, commands) => {
    test.each(sample(commands, { every: 8 }))('%s', { timeout: 120_000 }, async (command) => {
      const { ours, theirs } = await both(tree, command)
      expect(ours).toEqual(theirs)
    })
  })
})

describe('without the original', () => {
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const workspace = createWorkspace({ fs: memory({ '/package.json': '{"name":"n","version":"1.0.0"}' }), shell })
  afterAll(() => workspace.shell?.close())

  test.for([
    ['npm audit', 'npm: `npm audit` needs packages or a registry from the network, which this shell does not have\n'],
    ['npm pack', 'npm: `npm pack` is not supported by this shell\n'],
    ['npm init', 'npm: `npm init` asks questions; in this shell there is only `npm init -y`\n'],
    ['npm init vite', 'npm: `npm init vite` gets a package, and this shell has no network\n'],
    [
      'npx cowsay hi',
      'npx: cowsay is not among the packages in node_modules, and this shell has no network to get it from\n',
    ],
    ['npx', 'npx: a shell inside of `npm exec` is not supported: name a command\n'],
  ] as const)('%s is refused by name', async ([command, stderr]) => {
    const ran = await run(workspace, command)
    expect([ran.stdout, ran.stderr, ran.exitCode]).toEqual(['', stderr, 2])
  })

  test('a program of the package itself runs, and of an installed one that is not linked', async () => {
    const script = '#!/usr/bin/env node\\nconsole.log(__filename, process.argv.slice(2).join())\\n'
    const lines = [
      'mkdir -p node_modules/p bin',
      `printf '${script}' | tee bin/n.js > node_modules/p/cli.js; chmod +x node_modules/p/cli.js`,
      `echo '{"name":"p","version":"1.2.0","bin":"cli.js"}' > node_modules/p/package.json`,
      `npm pkg set bin.own=bin/n.js; npx own 1; npx p 2; npx p@^1 3; npx p@2 4`,
    ]
    const ran = await run(workspace, lines.join('\n'))
    expect(ran.stdout).toBe('/bin/n.js 1\n/node_modules/p/cli.js 2\n/node_modules/p/cli.js 3\n')
    expect(ran.stderr).toBe(
      'npx: p@2 is not among the packages in node_modules, and this shell has no network to get it from\n',
    )
  })
})
