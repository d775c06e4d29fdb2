/** The tree every attack runs in: a root, what lies beside it, and links that lead there. */
import { attacks, type Places } from './corpus.js'

export type LayoutEntry =
  | { kind: 'directory'; path: string }
  | { kind: 'file'; path: string; text: string }
  | { kind: 'link'; path: string; target: string }
  | { kind: 'hard-link'; path: string; target: string }

/** In the content and in one name of every directory beside the root, and nowhere else: whoever shows it has been outside. */
export const canary = 'CANARY'

const siblings = ['outside', 'root-evil', 'rootevil', 'root.bak', 'root ', 'ROOT', 'Root', 'cwd']

export function outsideLayout({ base, outside }: Places): LayoutEntry[] {
  const entries = siblings.flatMap((name): LayoutEntry[] => [
    { kind: 'directory', path: `${base}/${name}` },
    { kind: 'file', path: `${base}/${name}/secret.txt`, text: `${canary} in ${name}\n` },
    { kind: 'file', path: `${base}/${name}/${canary}.txt`, text: `${canary} by name\n` },
  ])
  // Read through a hard link this text is the root's own, so it holds no canary.
  return [...entries, { kind: 'file', path: `${outside}/linked.txt`, text: 'one file, two names\n' }]
}

export function insideLayout({ base, root, outside }: Places): LayoutEntry[] {
  const files: Record<string, string> = {
    'sub/a.txt': 'alpha\n',
    'sub/mover.txt': 'moved about\n',
    '.git/config': '[core]\n',
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.vscode/settings.json': '{}\n',
    '.claude/settings.json': '{}\n',
    '.mcp.json': '{}\n',
    '.envrc': 'export A=1\n',
  }
  for (const { cls, path } of attacks) {
    const plain = cls === 'A-benign' && /^sub\/[^/]+$/.test(path)
    if (plain) files[path] ??= 'benign\n'
  }
  const links: Record<string, string> = {
    'l-file': `${outside}/secret.txt`,
    'l-dir': outside,
    'l-rel': '../outside',
    'l-chain': 'l-file',
    'l-parent': base,
    'l-procroot': `/proc/self/root${outside}`,
    'l-dangling': `${outside}/dangle-new`,
    'l-dangling-dir': `${outside}/dangle-dir`,
    'sub/l-up': '../..',
    'sub/l-dir2': outside,
    'l-evilprefix': `${root}-evil`,
    'l-dotdot': '..',
    'l-space': `${root} `,
    'l-cwd': `${base}/cwd`,
    'l-in': 'sub/a.txt',
    'l-indir': 'sub',
    'l-abs-in': `${root}/sub/a.txt`,
    'l-self': '.',
    'l-gitdir': '.git',
    loop: 'loop',
    loopA: 'loopB',
    loopB: 'loopA',
  }
  return [
    ...['sub', '.git', '.git/hooks', '.vscode', '.claude'].map(
      (path): LayoutEntry => ({ kind: 'directory', path: `${root}/${path}` }),
    ),
    ...Object.entries(files).map(([path, text]): LayoutEntry => ({ kind: 'file', path: `${root}/${path}`, text })),
    ...Object.entries(links).map(([path, target]): LayoutEntry => ({ kind: 'link', path: `${root}/${path}`, target })),
    { kind: 'hard-link', path: `${root}/hl-secret`, target: `${outside}/linked.txt` },
  ]
}
