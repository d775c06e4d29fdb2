/** The names of npm's commands, their other names, and what is close to a name that is none. */
import { editDistance } from '../../../src/text/edit-distance.js'
import { binsOf, type Package, scriptsOf } from './package-json.js'

/** All commands of npm with what they are about: it suggests them for names that are close. */
const about: Readonly<Record<string, string>> = {
  access: 'Set access level on published packages',
  adduser: 'Add a registry user account',
  'approve-scripts': 'Approve install scripts for specific dependencies',
  audit: 'Run a security audit',
  bugs: 'Report bugs for a package in a web browser',
  cache: 'Manipulates packages and npx cache',
  ci: 'Clean install a project',
  completion: 'Tab Completion for npm',
  config: 'Manage the npm configuration files',
  dedupe: 'Reduce duplication in the package tree',
  'deny-scripts': 'Deny install scripts for specific dependencies',
  deprecate: 'Deprecate a version of a package',
  diff: 'The registry diff command',
  'dist-tag': 'Modify package distribution tags',
  docs: 'Open documentation for a package in a web browser',
  doctor: 'Check the health of your npm environment',
  edit: 'Edit an installed package',
  exec: 'Run a command from a local or remote npm package',
  explain: 'Explain installed packages',
  explore: 'Browse an installed package',
  'find-dupes': 'Find duplication in the package tree',
  fund: 'Retrieve funding information',
  get: 'Get a value from the npm configuration',
  help: 'Get help on npm',
  'help-search': 'Search npm help documentation',
  init: 'Create a package.json file',
  install: 'Install a package',
  'install-ci-test': 'Install a project with a clean slate and run tests',
  'install-scripts': 'Manage install-script approvals for dependencies',
  'install-test': 'Install package(s) and run tests',
  link: 'Symlink a package folder',
  ll: 'List installed packages',
  login: 'Login to a registry user account',
  logout: 'Log out of the registry',
  ls: 'List installed packages',
  org: 'Manage orgs',
  outdated: 'Check for outdated packages',
  owner: 'Manage package owners',
  pack: 'Create a tarball from a package',
  ping: 'Ping npm registry',
  pkg: 'Manages your package.json',
  prefix: 'Display prefix',
  profile: 'Change settings on your registry profile',
  prune: 'Remove extraneous packages',
  publish: 'Publish a package',
  query: 'Retrieve a filtered list of packages',
  rebuild: 'Rebuild a package',
  repo: 'Open package repository page in the browser',
  restart: 'Restart a package',
  root: 'Display npm root',
  run: 'Run arbitrary package scripts',
  sbom: 'Generate a Software Bill of Materials (SBOM)',
  search: 'Search for packages',
  set: 'Set a value in the npm configuration',
  shrinkwrap: 'Lock down dependency versions for publication',
  stage: 'Stage packages for publishing, deferring proof-of-presence (2FA) to a later point in time',
  star: 'Mark your favorite packages',
  stars: 'View packages marked as favorites',
  start: 'Start a package',
  stop: 'Stop a package',
  team: 'Manage organization teams and team memberships',
  test: 'Test a package',
  token: 'Manage your authentication tokens',
  trust: 'Create a trusted relationship between a package and a OIDC provider',
  undeprecate: 'Undeprecate a version of a package',
  uninstall: 'Remove a package',
  unpublish: 'Remove a package from the registry',
  unstar: 'Remove an item from your favorite packages',
  update: 'Update packages',
  version: 'Bump a package version',
  view: 'View registry info',
  whoami: 'Display npm username',
}

const aliases: Readonly<Record<string, string>> = {
  author: 'owner',
  home: 'docs',
  issues: 'bugs',
  info: 'view',
  show: 'view',
  find: 'search',
  add: 'install',
  unlink: 'uninstall',
  remove: 'uninstall',
  rm: 'uninstall',
  r: 'uninstall',
  un: 'uninstall',
  rb: 'rebuild',
  list: 'ls',
  ln: 'link',
  create: 'init',
  i: 'install',
  it: 'install-test',
  cit: 'install-ci-test',
  u: 'update',
  up: 'update',
  c: 'config',
  s: 'search',
  se: 'search',
  tst: 'test',
  t: 'test',
  ddp: 'dedupe',
  v: 'view',
  'run-script': 'run',
  'clean-install': 'ci',
  'clean-install-test': 'install-ci-test',
  x: 'exec',
  why: 'explain',
  la: 'll',
  verison: 'version',
  ic: 'ci',
  innit: 'init',
  in: 'install',
  ins: 'install',
  inst: 'install',
  insta: 'install',
  instal: 'install',
  isnt: 'install',
  isnta: 'install',
  isntal: 'install',
  isntall: 'install',
  'install-clean': 'ci',
  'isntall-clean': 'ci',
  hlep: 'help',
  'dist-tags': 'dist-tag',
  upgrade: 'update',
  udpate: 'update',
  rum: 'run',
  sit: 'install-ci-test',
  urn: 'run',
  ogr: 'org',
  'add-user': 'adduser',
}

export const commandNames: readonly string[] = Object.keys(about)

/** The command that is meant: by its name, another name of it, or the beginning of one. */
export function resolveCommand(written: string): string | undefined {
  const name = written.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  if (Object.hasOwn(about, name)) return name
  if (Object.hasOwn(aliases, name)) return aliases[name]
  const starting = [...commandNames, ...Object.keys(aliases)].filter((each) => each.startsWith(name))
  const [only] = starting
  return starting.length === 1 && only !== undefined ? (aliases[only] ?? only) : undefined
}

const supported = 'run test start stop restart exec pkg ls ll version init root prefix help install ci uninstall'.split(
  ' ',
)
const withoutNetwork =
  'access adduser audit bugs dedupe deprecate dist-tag docs doctor find-dupes fund install-ci-test install-test login logout org outdated owner ping profile publish repo search shrinkwrap stage star stars team token trust undeprecate unpublish unstar update view whoami'.split(
    ' ',
  )

/** Why a command can't be had here. */
export function unsupported(name: string): string | undefined {
  if (supported.includes(name)) return undefined
  return withoutNetwork.includes(name)
    ? 'needs packages or a registry from the network, which this shell does not have'
    : 'is not supported by this shell'
}

/** Scripts that have commands of their own. */
const lifecycleNames = ['stop', 'start', 'test', 'restart']
const maxSuggestions = 3

/** What npm suggests for a name that it does not find. */
export function didYouMean(found: Package | undefined, written: string): string {
  const isClose = (name: string) => editDistance(written, name) < written.length * 0.4
  const scripts = found === undefined ? [] : [...scriptsOf(found).keys()]
  const bins = found === undefined ? [] : [...binsOf(found).keys()]
  const best = [
    ...commandNames.filter((name) => isClose(name) && name !== written).map((name) => [name, about[name]]),
    ...scripts
      .filter((name) => isClose(name) && !lifecycleNames.includes(name))
      .map((name) => [`run ${name}`, `run the "${name}" package script`]),
    ...bins
      .filter(isClose)
      .map((name) => [`exec ${name}`, `run the "${name}" command from either this or a remote npm package`]),
  ]
  if (best.length === 0) return ''
  const lines = best.slice(0, maxSuggestions).map(([name, comment]) => `  npm ${name} # ${comment}`)
  return `\n\nDid you mean ${best.length === 1 ? 'this' : 'one of these'}?\n${lines.join('\n')}`
}
