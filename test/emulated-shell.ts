/** What the emulated shell guarantees, on every file system and platform it runs on. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isFsError } from '../src/errors.js'
import type { FileSystem } from '../src/fs/types.js'
import { walk } from '../src/fs/walk/walk.js'
import { runCommand } from '../src/ops/shell/run-command.js'
import type { ExecRequest, Shell } from '../src/shell/types.js'
import { createWorkspace } from '../src/workspace/create-workspace.js'
import type { Workspace } from '../src/workspace/workspace.js'
import type { WorkspaceOptions } from '../src/workspace/workspace-options.js'

export interface EmulatedShellCases {
  /** An empty tree. */
  makeFs: () => FileSystem | Promise<FileSystem>
  /** Allows 100 kB to be written. */
  shell: (workspace: Workspace) => Shell
}

export interface Ran {
  ended: string
  exitCode?: number | undefined
  stdout: string
  stderr: string
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const bytes = (given: string) => new TextEncoder().encode(given)

const atTheEnd = 'what a command writes is seen by others when it has ended'

/** Deviations from the shell contract, on every file system. */
export const emulatedShellDeviations = {
  'output is reported as it comes': atTheEnd,
  'a command is ended from outside in the middle': atTheEnd,
  'jobs are stopped, and other commands run beside them': atTheEnd,
}

/** Runs a command in a workspace, by default with a long timeout. */
export async function run(workspace: Workspace, command: string, more: Partial<ExecRequest> = {}): Promise<Ran> {
  const { shell, root } = workspace
  if (shell === undefined) throw new Error('the workspace has no shell')
  const request = { command, cwd: root, timeoutMs: 50_000, maxStreamBytes: 1_000_000, ...more }
  const { ended, exitCode, stdout, stderr } = await shell.exec(request)
  return { ended, exitCode, stdout: text(stdout.bytes), stderr: text(stderr.bytes) }
}

/** Every entry with its bytes, link target and mode. */
export async function snapshot({ fs, root }: Workspace): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for await (const { path } of walk(fs, root)) {
    const { kind, mode } = await fs.stat(path)
    const content = kind === 'file' ? Array.from(await fs.readFile(path)).join(' ') : ''
    const target = kind === 'symlink' ? await fs.readLink?.(path) : ''
    all[path] = `${kind} ${mode ?? ''} ${content}${target}`
  }
  return all
}

export function describeEmulatedShell(name: string, { makeFs, shell }: EmulatedShellCases): void {
  async function open(tree: Record<string, string>, options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
    const fs = await makeFs()
    for (const [path, content] of Object.entries(tree)) {
      const parts = path.split('/').slice(1, -1)
      for (let depth = 1; depth <= parts.length; depth += 1) {
        await fs.makeDir(`/${parts.slice(0, depth).join('/')}`).catch((error) => {
          if (!isFsError(error, 'EXISTS')) throw error
        })
      }
      await fs.writeFile(path, bytes(content))
    }
    return createWorkspace({ fs, shell, ...options })
  }

  describe(`the emulated shell ${name}`, () => {
    let keptWarm: Workspace | undefined
    beforeAll(async () => {
      keptWarm = await open({})
      await run(keptWarm, 'true')
    })
    afterAll(() => keptWarm?.shell?.close())

    test('an archive that follows links ends where they lead back, and says so', async ({ skip }) => {
      const workspace = await open({ '/d/a.txt': 'a\n' })
      if (!workspace.fs.capabilities.symlinks) skip('no symbolic links on this backend')
      const packed = await run(workspace, 'ln -s . d/self; tar chf out.tar d; echo $?; tar tf out.tar')
      expect(packed.stdout).toBe('2\nd/\nd/a.txt\n')
      expect(packed.stderr).toContain('tar: d/self: File system loop detected; not dumped')
    })

    test('describes itself', async () => {
      const { kind, capabilities } = (await open({})).shell as Shell
      expect({ kind, capabilities }).toEqual({
        kind: 'emulated',
        capabilities: {
          sharesFiles: true,
          confined: true,
          recordsChanges: true,
          background: false,
          signals: false,
          posix: true,
          separateStreams: true,
        },
      })
    })

    test('runs pipes, loops, substitutions and here-documents on the workspace', async () => {
      const workspace = await open({ '/a.txt': 'one\ntwo\nthree\n' })
      const command = `
        for word in $(grep -v two a.txt); do echo "<$word>"; done | sort -r
        cat <<END
        left $((6 * 7))
END
        ls missing || echo "failed with $?" >&2`
      expect(await run(workspace, command)).toEqual({
        ended: 'exit',
        exitCode: 0,
        stdout: '<three>\n<one>\n        left 42\n',
        stderr: "ls: cannot access 'missing': No such file or directory\nfailed with 2\n",
      })
    })

    test('passes bytes through unchanged', async () => {
      const workspace = await open({})
      const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      await workspace.fs.writeFile('/all', all)
      const out = await workspace.shell?.exec({
        command: 'cat all | tee copy; cat > given',
        cwd: '/',
        stdin: all,
        timeoutMs: 50_000,
        maxStreamBytes: 1000,
      })
      expect([out?.stdout.bytes, await workspace.fs.readFile('/copy'), await workspace.fs.readFile('/given')]).toEqual([
        all,
        all,
        all,
      ])
    })

    test('a command is one change, labelled with it, and undo restores every byte', async () => {
      const workspace = await open({ '/a.txt': 'a\n', '/sub/b.txt': 'b\n', '/sub/deep/c.txt': 'c\n', '/gone': 'x' })
      const before = await snapshot(workspace)
      const command =
        'sed -i s/a/A/ a.txt; mv sub moved; rm gone; mkdir -p new/dir; echo hi > new/dir/file; echo y > gone'
      expect(await run(workspace, command)).toEqual({ ended: 'exit', exitCode: 0, stdout: '', stderr: '' })
      expect(Object.keys(await snapshot(workspace))).toEqual([
        '/a.txt',
        '/gone',
        '/moved',
        '/moved/b.txt',
        '/moved/deep',
        '/moved/deep/c.txt',
        '/new',
        '/new/dir',
        '/new/dir/file',
      ])
      expect((await workspace.history.list()).map(({ label }) => label)).toEqual([command])
      await workspace.history.undo()
      expect(await snapshot(workspace)).toEqual(before)
    })

    test('a command that changes nothing leaves no record', async () => {
      const workspace = await open({ '/a.txt': 'a\n' })
      await run(workspace, 'cat a.txt; touch a.txt; sed -i s/nothing/x/ a.txt; echo t > b; rm b; echo x > /tmp/scratch')
      expect(await workspace.history.list()).toEqual([])
    })

    test('a directory becomes a file and a file a directory', async () => {
      const workspace = await open({ '/one/in': '1', '/two': '2' })
      const before = await snapshot(workspace)
      expect((await run(workspace, 'rm -r one two; echo file > one; mkdir two; echo in > two/in')).stderr).toBe('')
      expect([text(await workspace.fs.readFile('/one')), text(await workspace.fs.readFile('/two/in'))]).toEqual([
        'file\n',
        'in\n',
      ])
      await workspace.history.undo()
      expect(await snapshot(workspace)).toEqual(before)
    })

    test('protected names and read-only roots refuse at the moment of writing, and the script continues', async () => {
      const workspace = await open(
        { '/w/.git/config': 'kept', '/w/a.txt': 'a', '/ro/b.txt': 'b' },
        {
          roots: [
            { path: '/w', access: 'read-write' },
            { path: '/ro', access: 'read-only' },
          ],
        },
      )
      const before = await snapshot(workspace)
      const command = `
        echo x > .git/config || echo "no: $?"
        echo x >> .git/hooks/post-commit || echo "no: $?"
        echo x > /ro/b.txt || echo "no: $?"
        rm -rf /ro/b.txt .git || echo "no: $?"
        mv a.txt .git/a || echo "no: $?"
        cat .git/config /ro/b.txt`
      const { stdout, stderr } = await run(workspace, command)
      expect(stdout).toBe('no: 1\nno: 1\nno: 1\nno: 1\nno: 1\nkeptb')
      expect(stderr).toContain('bash: line 2: .git/config: Permission denied\n')
      expect(stderr).toContain('bash: line 4: /ro/b.txt: Read-only file system\n')
      expect(await snapshot(workspace)).toEqual(before)
    })

    test('nothing outside the roots can be seen or created', async () => {
      const workspace = await open(
        { '/in/side/a.txt': 'a', '/outside.txt': 'secret', '/in/other.txt': 'secret' },
        { roots: [{ path: '/in/side', access: 'read-write' }] },
      )
      const command = `
        cat /outside.txt ../other.txt ../../outside.txt /proc/self/environ /etc/passwd
        cd .. && ls; cd / && ls; cd /in/side
        echo x > ../made; mkdir /made; cp a.txt ../other.txt; mv a.txt /in/moved
        echo "$(cat ../../outside.txt)$(</outside.txt)"
        while read line; do echo $line; done < /outside.txt
        find / -name '*.txt'; grep -r secret / ; cat /in/*.txt; rm -rf /in/other.txt ../../outside.txt
        ls`
      const { stdout, stderr } = await run(workspace, command)
      expect(`${stdout}${stderr}`).not.toContain('secret')
      expect(stdout.split('\n').at(-2)).toBe('a.txt')
      const { fs } = workspace
      expect(text(await fs.readFile('/in/side/a.txt'))).toBe('a')
    })

    test('a workspace opened inside has its own shell, confined to it', async () => {
      const workspace = await open({ '/in/a.txt': 'a', '/b.txt': 'secret' })
      const narrow = await workspace.narrow(['/in'])
      expect(await run(narrow, 'ls; cat ../b.txt; echo x > ../c')).toEqual({
        ended: 'exit',
        exitCode: 1,
        stdout: 'a.txt\n',
        stderr: 'cat: ../b.txt: No such file or directory\nbash: line 1: ../c: Permission denied\n',
      })
    })

    test('a change by someone else wins over the command, which reports that none of its changes was made', async () => {
      const workspace = await open({ '/a.txt': 'a\n', '/b.txt': 'b\n' })
      const command = 'cat a.txt; while [ ! -f go ]; do sleep 0.01; done; echo mine >> a.txt; echo mine >> b.txt'
      const onOutput = async () => {
        await edit(workspace, '/a.txt', 'theirs\n')
        await edit(workspace, '/go', '')
      }
      expect(await run(workspace, command, { onOutput })).toEqual({
        ended: 'exit',
        exitCode: 1,
        stdout: 'a\n',
        stderr: 'bash: /a.txt: changed by someone else while the command ran; none of its changes were saved\n',
      })
      expect(text(await workspace.fs.readFile('/a.txt'))).toBe('theirs\n')
      expect(text(await workspace.fs.readFile('/b.txt'))).toBe('b\n')
    })

    test('two concurrent commands and an edit lose nothing', async () => {
      const workspace = await open({ '/a.txt': 'a\n' })
      const one = run(workspace, 'mkdir -p out; for i in 1 2 3; do echo $i > out/one-$i; done')
      const two = run(workspace, 'mkdir -p out; for i in 1 2 3; do echo $i > out/two-$i; done; cat a.txt > /dev/null')
      await edit(workspace, '/a.txt', 'edited\n')
      expect([(await one).stderr, (await two).stderr]).toEqual(['', ''])
      const { stdout } = await run(workspace, 'cat a.txt; ls out')
      expect(stdout).toBe('edited\none-1\none-2\none-3\ntwo-1\ntwo-2\ntwo-3\n')
    })

    test.each([
      ['a loop', 'while true; do :; done'],
      ['a loop in awk', `awk 'BEGIN { while (1) i++ }'`],
      ['a loop in sed', `echo x | sed ':a;ba'`],
    ])('%s is ended in time while other calls are answered, and its earlier changes stay', async (_what, loop) => {
      const workspace = await open({ '/a.txt': 'a\n' })
      const timeoutMs = 1000
      let running = true
      let longest = 0
      const reader = (async () => {
        while (running) {
          const start = performance.now()
          await workspace.fs.readFile('/a.txt')
          await new Promise((resolve) => setTimeout(resolve, 10))
          longest = Math.max(longest, performance.now() - start)
        }
      })()
      const start = performance.now()
      const ran = await run(workspace, `echo before; echo kept > kept; ${loop}`, { timeoutMs })
      const took = performance.now() - start
      running = false
      await reader
      expect([ran.ended, ran.exitCode, ran.stdout]).toEqual(['timeout', undefined, 'before\n'])
      expect(text(await workspace.fs.readFile('/kept'))).toBe('kept\n')
      // The benchmark measures how close to the deadline it ends; here a loaded machine must not fail.
      expect(took).toBeLessThan(timeoutMs + 10_000)
      expect(longest).toBeLessThan(10_000)
      expect((await run(workspace, 'echo again')).stdout).toBe('again\n')
    })

    test('an abort ends a command, and its changes stay', async () => {
      const workspace = await open({})
      const stopper = new AbortController()
      const onOutput = () => stopper.abort()
      const ran = await run(workspace, 'echo x > x; echo go; sleep 60', { signal: stopper.signal, onOutput })
      expect(ran).toMatchObject({ ended: 'aborted', stdout: 'go\n' })
      expect(text(await workspace.fs.readFile('/x'))).toBe('x\n')
    })

    test('closing ends the commands of one workspace; their changes stay, and other workspaces go on', async () => {
      const [one, other] = [await open({}), await open({})]
      const begun = (workspace: Workspace, command: string) =>
        new Promise<{ ran: Promise<Ran> }>((resolve) => {
          const ran = run(workspace, command, { onOutput: () => resolve({ ran }) })
        })
      const ended = await begun(one, 'echo x > x; echo begun; sleep 60')
      const goesOn = await begun(other, 'echo begun; until [ -f go ]; do sleep 0.01; done; echo done')
      await one.shell?.close()
      expect(await ended.ran).toMatchObject({ ended: 'aborted', stdout: 'begun\n' })
      expect(text(await one.fs.readFile('/x'))).toBe('x\n')
      await edit(other, '/go', '')
      expect(await goesOn.ran).toMatchObject({ ended: 'exit', stdout: 'begun\ndone\n' })
    })

    test('too much output ends a command, or is dropped', async () => {
      const workspace = await open({})
      const command = 'for i in $(seq 1 100); do echo 0123456789; done; echo end > end'
      const ended = await run(workspace, command, { maxStreamBytes: 25, onOutputLimit: 'end' })
      expect(ended).toMatchObject({ ended: 'output-limit', stdout: '0123456789\n0123456789\n012' })
      const dropped = await run(workspace, command, { maxStreamBytes: 25 })
      expect(dropped).toMatchObject({ ended: 'exit', exitCode: 0, stdout: '0123456789\n0123456789\n012' })
    })

    test('output arrives as it is written', async () => {
      const workspace = await open({})
      const chunks: string[] = []
      let answered = false
      const onOutput = ({ stream, bytes }: { stream: string; bytes: Uint8Array }) => {
        chunks.push(`${stream}: ${text(bytes)}`)
        if (answered) return
        answered = true
        void edit(workspace, '/go', '')
      }
      await run(workspace, 'echo one; until [ -f go ]; do sleep 0.01; done; echo two >&2; echo three', { onOutput })
      expect(chunks).toEqual(['stdout: one\n', 'stderr: two\n', 'stdout: three\n'])
    })

    test('reports the working directory at the end, also after an exit', async () => {
      const workspace = await open({ '/sub/a': '' })
      const ask = async (command: string, env?: Record<string, string>) => {
        const request = { command, cwd: '/', timeoutMs: 50_000, maxStreamBytes: 1000, reportState: true }
        const { exitCode, left } = (await workspace.shell?.exec({ ...request, ...(env && { env }) })) ?? {}
        return { exitCode, left }
      }
      expect(await ask('cd sub; export A=1 B="x y"; C=3; false')).toEqual({
        exitCode: 1,
        left: { cwd: '/sub', env: { A: '1', B: 'x y' } },
      })
      expect(await ask('unset OLD; cd sub; exit 7', { OLD: 'o', NEW: 'n' })).toEqual({
        exitCode: 7,
        left: { cwd: '/sub', env: { NEW: 'n' } },
      })
      expect(await ask('cd /tmp')).toEqual({ exitCode: 0, left: { cwd: '/tmp', env: {} } })
      expect(await ask('cd /dev')).toEqual({ exitCode: 0, left: { env: {} } })
    })

    test('scratch space is shared by commands, and the workspace does not have it', async () => {
      const workspace = await open({ '/a.txt': 'a' })
      await run(workspace, 'echo scratch > /tmp/x; mkdir -p $TMPDIR/d; cp a.txt /tmp/d')
      expect(await run(workspace, 'cat /tmp/x $TMPDIR/d/a.txt; ls -A; mv /tmp/x moved; find . -type f | sort')).toEqual(
        {
          ended: 'exit',
          exitCode: 0,
          stdout: 'scratch\naa.txt\n./a.txt\n./moved\n',
          stderr: '',
        },
      )
      expect(Object.keys(await snapshot(workspace))).toEqual(['/a.txt', '/moved'])
    })

    test('scratch space is /tmp to scripts, wherever it is', async () => {
      const workspace = await open({ '/a.txt': 'a' })
      const shown = [
        'cd /tmp; pwd; pwd -P; echo $PWD $TMPDIR ~ ~+; dirs -l; mkdir -p one/two; cd one/two; pwd; cd ..; cd -; realpath .. x',
        'pushd /tmp/one; cd two; cd /a.txt; cat none /tmp/one/none; mktemp -d | cut -c1-9; mktemp -p "" | cut -c1-9',
        'echo in > f; ls /tmp/one/two; bash -c "pwd; cat f"; find /tmp/one -name f -execdir pwd \\;; env -C /tmp/one pwd',
        'git init -q /tmp/repo; cd /tmp/repo; git config user.name; touch f; git add f; git status --short; cd; pwd',
      ]
      const { stdout, stderr } = await run(workspace, `{ ${shown.join('\n')}\n} 2>&1`)
      expect(stderr).toBe('')
      expect(stdout.trim().split('\n')).toEqual(
        [
          '/tmp, /tmp, /tmp /tmp /tmp/.home /tmp, /tmp, /tmp/one/two, /tmp/one/two, /tmp/one, /tmp/one/two/x',
          '/tmp/one /tmp/one/two, bash: line 2: cd: /a.txt: Not a directory, cat: none: No such file or directory',
          'cat: /tmp/one/none: No such file or directory, /tmp/tmp., /tmp/tmp.',
          'f, /tmp/one/two, in, /tmp/one/two, /tmp/one',
          'A  f, /tmp/.home',
        ].flatMap((line) => line.split(', ')),
      )
      expect(Object.keys(await snapshot(workspace))).toEqual(['/a.txt'])
    })

    test('a relative name leads to the project, and an absolute one below /tmp to scratch space', async () => {
      const workspace = await open({ '/a.txt': 'a' })
      const command =
        'zip -q a.zip a.txt; unzip -q a.zip -d tmp; tar cf /tmp/a.tar a.txt; mkdir -p tmp/t; tar xf /tmp/a.tar -C tmp/t; ls /tmp'
      expect(await run(workspace, command)).toMatchObject({ stdout: 'a.tar\n', stderr: '', exitCode: 0 })
      expect(Object.keys(await snapshot(workspace))).toEqual([
        ...['/a.txt', '/a.zip', '/tmp', '/tmp/a.txt', '/tmp/t', '/tmp/t/a.txt'],
      ])
    })

    test('a directory tmp at the top of the workspace is the project’s', async () => {
      const workspace = await open({})
      expect((await run(workspace, 'mkdir -p tmp/x; echo mine > tmp/x/a')).stderr).toBe('')
      expect(Object.keys(await snapshot(workspace))).toEqual(['/tmp', '/tmp/x', '/tmp/x/a'])
      expect((await run(workspace, 'cat /tmp/x/a; echo more > /tmp/x/b; echo kept > $(mktemp)')).stdout).toBe('mine\n')
      expect(Object.keys(await snapshot(workspace))).toEqual(['/tmp', '/tmp/x', '/tmp/x/a', '/tmp/x/b'])
    })

    test('a session stays in scratch space, until its directory is gone', async () => {
      const workspace = await open({ '/a.txt': 'hello\n' })
      const session = (command: string) =>
        workspace.run(runCommand, { command, session: 's', timeoutMs: 50_000, maxStreamBytes: 1000 })
      const first = await session('mkdir -p /tmp/deep; cd /tmp/deep; echo kept > f')
      expect(first.session?.cwd).toBe('/tmp/deep')
      const second = await session('cat f; cd /; rm -r /tmp/deep; cd /tmp')
      expect([text(second.stdout.bytes), second.session?.cwd]).toEqual(['kept\n', '/tmp'])
      expect(text((await session('ls; mkdir here; cd here')).stdout.bytes)).toBe('')
      await run(workspace, 'rmdir /tmp/here')
      await expect(session('pwd')).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(text((await session('cat a.txt')).stdout.bytes)).toBe('hello\n')
    })

    test('what a command leaves unreadable is stored readable for its owner, with the rest', async ({ skip }) => {
      const workspace = await open({ '/a.txt': 'hello\n', '/d/b.txt': 'b\n' })
      if (!workspace.fs.capabilities.modeBits) skip('files have no modes here')
      const { stderr, exitCode } = await run(
        workspace,
        'chmod 000 a.txt; chmod 111 d; mkdir n; echo 1 > n/x; chmod 200 n/x; chmod 000 n; echo 2 > other',
      )
      expect(stderr.split('\n').sort()).toEqual([
        '',
        'chmod: /a.txt: stored with mode 400, not 000: its owner must be able to read it',
        'chmod: /d: stored with mode 511, not 111: its owner must be able to read it',
        'chmod: /n/x: stored with mode 600, not 200: its owner must be able to read it',
        'chmod: /n: stored with mode 500, not 000: its owner must be able to read it',
      ])
      expect(exitCode).toBe(1)
      const { stdout } = await run(workspace, 'cat a.txt d/b.txt n/x other; stat -c %a a.txt d n n/x')
      expect(stdout).toBe('hello\nb\n1\n2\n400\n511\n500\n600\n')
      const again = await run(workspace, 'chmod 000 a.txt; chmod 644 a.txt')
      expect([again.stderr, again.exitCode]).toEqual(['', 0])
    })

    test('in a workspace elsewhere scratch space is /tmp', async () => {
      const workspace = await open({ '/w/a.txt': 'a' }, { roots: [{ path: '/w', access: 'read-write' }] })
      const command = 'echo "$TMPDIR"; cp a.txt /tmp/b; cd /tmp; pwd; ls; mktemp -d | cut -d. -f1'
      expect((await run(workspace, command)).stdout).toBe('\n/tmp\nb\n/tmp/tmp\n')
    })

    test.each([
      ['/', '/tmp/.home'],
      ['/w', '/tmp/.home'],
    ] as const)('in a workspace at %s the home directory is not part of the project', async (root, home) => {
      const workspace = await open({ '/w/a.txt': 'a' }, { roots: [{ path: root, access: 'read-write' }] })
      const cwd = { cwd: '/w' }
      expect((await run(workspace, 'echo ~ $HOME; ls -A ~; cd; pwd; cd - > /dev/null; ls -A', cwd)).stdout).toBe(
        `${home} ${home}\n${home}\na.txt\n`,
      )
      const set =
        'git config --global user.name Ann; git config --global user.email ann@example.com; echo x > ~/.npmrc; mkdir ~/.cache'
      expect(await run(workspace, set, cwd)).toMatchObject({ exitCode: 0, stderr: '' })
      expect(await workspace.history.list()).toEqual([])
      expect(Object.keys(await snapshot(workspace)).filter((path) => !path.startsWith('/w'))).toEqual([])
      const used =
        'git init -q; git add -A; git commit -qm one; git log --format="%an %ae" --name-only; ls -A ~; cat ~/.gitconfig'
      expect(await run(workspace, used, cwd)).toMatchObject({
        stdout: `Ann ann@example.com\n\na.txt\n.cache\n.gitconfig\n.npmrc\n[user]\n\tname = Ann\n\temail = ann@example.com\n`,
        stderr: '',
      })
      const again =
        'rm -rf ~; cd; pwd; XDG_CONFIG_HOME=$HOME/none git config --global a.b c; git config --global --list'
      expect(await run(workspace, again, cwd)).toMatchObject({
        stdout: `/w\n`,
        stderr: expect.stringContaining('could not lock config file'),
      })
      expect((await run(workspace, 'cd; pwd', cwd)).stdout).toBe(`${home}\n`)
    })

    test('where the project has all names of scratch space, there is no home directory', async () => {
      const workspace = await open({ '/.tmp/mine': 'kept', '/a.txt': 'a' })
      const before = await snapshot(workspace)
      const { stdout, stderr } = await run(workspace, 'echo ~; git config --global user.name Ann; cd || echo none')
      expect(stdout).toBe('/nonexistent\nnone\n')
      expect(stderr).toContain('could not lock config file /nonexistent/.gitconfig: No such file or directory')
      expect(await snapshot(workspace)).toEqual(before)
    })

    test('devices work as commands expect', async () => {
      const workspace = await open({})
      const command =
        'echo lost > /dev/null; cat /dev/null; echo e > /dev/stderr; echo o | tee /dev/stderr; head -c 300000 /dev/zero | wc -c'
      expect(await run(workspace, command)).toEqual({
        ended: 'exit',
        exitCode: 0,
        stdout: 'o\n300000\n',
        stderr: 'e\no\n',
      })
    })

    test('a script of the workspace runs, and what it prints can be captured', async () => {
      const workspace = await open({ '/s.sh': 'echo "ran $1"\nexit 3\n' })
      expect(await run(workspace, 'bash s.sh a; echo $?; x=$(bash s.sh b); echo "[$x]"; . ./s.sh c')).toEqual({
        ended: 'exit',
        exitCode: 3,
        stdout: 'ran a\n3\n[ran b]\nran c\n',
        stderr: '',
      })
    })

    test('names the nearest commands when one is missing, and lists all', async () => {
      const workspace = await open({})
      const { exitCode, stderr } = await run(workspace, 'greb x')
      expect(exitCode).toBe(127)
      expect(stderr).toContain('bash: line 1: greb: command not found\n')
      expect(stderr).toContain('Did you mean grep')
      expect((await run(workspace, 'ruby -e 1')).stderr).toBe(
        'bash: line 1: ruby: command not found\n' +
          'This emulated shell cannot run programs of the machine. `help` lists what it has.\n',
      )
      const { stdout } = await run(workspace, 'help')
      expect(stdout).toContain(' cd ')
      for (const [group, name] of Object.entries({
        files: 'find',
        text: 'sort',
        data: 'jq',
        archives: 'tar',
        other: 'git',
      })) {
        expect(
          stdout
            .split('\n')
            .find((line) => line.startsWith(`  ${group}: `))
            ?.split(' '),
        ).toContain(name)
      }
    })

    test('an EXIT trap has the script’s variables, functions and directory, and can change its status', async () => {
      const workspace = await open({ '/sub/a': '' })
      const command = `
        set -e; list=(1 2); bye() { echo "$1 in $(pwd), \${#list[@]} $kept"; }
        trap 'bye $?; rm -f /made' EXIT; echo > made; cd sub; kept=yes; (exit 4); echo never`
      expect(await run(workspace, command)).toEqual({
        ended: 'exit',
        exitCode: 4,
        stdout: '4 in /sub, 2 yes\n',
        stderr: '',
      })
      expect((await run(workspace, 'trap "exit 6" 0; exit 5')).exitCode).toBe(6)
      expect((await run(workspace, 'trap "echo no" EXIT; trap - EXIT; echo yes')).stdout).toBe('yes\n')
    })

    test('a subshell has traps of its own, and a script can trap what it sends to itself', async () => {
      const workspace = await open({})
      const command = `(trap 'echo bye' EXIT; echo sub); trap 'echo got' USR1; kill -USR1 $$; trap '' HUP; kill -HUP $$; echo end`
      expect(await run(workspace, command)).toEqual({
        ended: 'exit',
        exitCode: 0,
        stdout: 'sub\nbye\ngot\nend\n',
        stderr: '',
      })
    })

    test('git works in the directory given by -C', async () => {
      const workspace = await open(
        { '/w/sub/a.txt': 'a\n', '/b.txt': 'b\n' },
        { roots: [{ path: '/w', access: 'read-write' }] },
      )
      const command =
        'git -C sub init -q > /dev/null; git -C . -C sub --no-pager status --short; git -C .. status; git -C / init'
      const { stdout, stderr } = await run(workspace, command)
      expect(stdout).toBe('?? a.txt\n')
      expect(stderr).toMatch(/^fatal: [^\n]+\nfatal: [^\n]+\n$/)
    })

    test('git commits what the command wrote, all of it in one change', async () => {
      const workspace = await open({ '/a.txt': 'one\n' })
      const before = await snapshot(workspace)
      const [name, email] = ['Ann', 'ann@example.org']
      const env = {
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_COMMITTER_NAME: name,
        GIT_COMMITTER_EMAIL: email,
      }
      const command = `
        git init -b main && git add . && git commit -m first
        echo two >> a.txt; echo new > b.txt
        git status --short; git diff
        git checkout -b topic && git add -A && git commit -m second && git log --oneline | cut -c9-; git branch
        echo x > .git/config || echo refused`
      const { stdout, stderr, exitCode } = await run(workspace, command, { env })
      expect([stderr, exitCode]).toEqual([
        "Switched to a new branch 'topic'\nbash: line 6: .git/config: Permission denied\n",
        0,
      ])
      expect(stdout.replaceAll(/\b[0-9a-f]{7}\b/g, '<oid>')).toBe(`Initialized empty Git repository in /.git/
[main (root-commit) <oid>] first
 1 file changed, 1 insertion(+)
 create mode 100644 a.txt
 M a.txt
?? b.txt
diff --git a/a.txt b/a.txt
index <oid>..<oid> 100644
--- a/a.txt
+++ b/a.txt
@@ -1 +1,2 @@
 one
+two
[topic <oid>] second
 2 files changed, 2 insertions(+)
 create mode 100644 b.txt
second
first
  main
* topic
refused
`)
      expect((await run(workspace, 'git status --short; git show HEAD:a.txt; git frob')).stdout).toBe('one\ntwo\n')
      await workspace.history.undo()
      expect(await snapshot(workspace)).toEqual(before)
    })

    test('no pattern of git stalls the host', async () => {
      const workspace = await open({ '/a.txt': `${'a'.repeat(60)}!\n` })
      const hostile = `'(a+)+$'`
      const command = `
        git init -q -b main; git add .; git -c user.name=A -c user.email=a@example.org commit -qm "$(cat a.txt)"
        git grep -cE ${hostile}; git log -E --format=%h --grep ${hostile}; git log --format=%h -G${hostile}
        git ls-files '${'*a'.repeat(20)}*b'; git config --get-regexp ${hostile}; echo end`
      expect(await run(workspace, command)).toEqual({ ended: 'exit', exitCode: 0, stdout: 'end\n', stderr: '' })
    })

    test('patch, zip and unzip work on what the command sees', async () => {
      const workspace = await open({ '/a.txt': 'one\n', '/d/b.txt': 'b\n' })
      const command = `
        printf -- '--- a/a.txt\\n+++ b/a.txt\\n@@ -1 +1 @@\\n-one\\n+two\\n' > p.diff
        patch -p1 < p.diff; cat a.txt; patch -p1 -i p.diff > /dev/null || echo again: $?
        zip -rq out.zip a.txt d && unzip -l out.zip | tail -1; unzip -q out.zip -d to; cat to/a.txt to/d/b.txt`
      const { stdout } = await run(workspace, command)
      expect(stdout).toBe('patching file a.txt\ntwo\nagain: 1\n        6                     3 files\ntwo\nb\n')
    })

    test('gzip data of several members is read to its end', async () => {
      const workspace = await open({ '/a.txt': 'a\n', '/b.txt': 'b\n' })
      const command = [
        '(gzip -c a.txt; gzip -c b.txt; seq 20000 | gzip -c) > all.gz',
        'zcat all.gz | md5sum; (cat a.txt b.txt; seq 20000) | md5sum',
        'gunzip -c < all.gz | head -n 2; gzip -t all.gz && echo whole',
        'head -c 100 all.gz > cut.gz; gzip -t cut.gz || echo cut; (cat all.gz; echo junk) | gunzip -c | tail -n 1',
      ].join('\n')
      const { stdout } = await run(workspace, command)
      const [first, second, ...rest] = stdout.split('\n')
      expect(first).toBe(second)
      expect(rest.slice(0, 4)).toEqual(['a', 'b', 'whole', 'cut'])
    })

    test('archives round-trip, and can’t write outside', async () => {
      const workspace = await open(
        { '/w/a.txt': 'aaa\n', '/w/d/b.txt': 'b\n' },
        { roots: [{ path: '/w', access: 'read-write' }] },
      )
      const command = `
        tar czf all.tgz a.txt d; tar tf all.tgz; mkdir out; tar xzf all.tgz -C out; cat out/a.txt out/d/b.txt
        gzip -k a.txt; zcat a.txt.gz; gzip -c a.txt | gunzip; rm a.txt.gz
        mkdir deep; cd deep; tar cPf ../slip.tar ../a.txt; cd ../out; tar xf ../slip.tar || echo "slip: $?"; ls`
      const { stdout } = await run(workspace, command)
      expect(stdout).toBe('a.txt\nd/\nd/b.txt\naaa\nb\naaa\naaa\nslip: 2\na.txt\nd\n')
    })

    test('has the small programs that scripts rely on', async () => {
      const workspace = await open({ '/a.txt': 'abc\n' })
      const command = `uname; id -u; yes | head -2; xxd a.txt; xxd -p a.txt; realpath ./a.txt; t=$(mktemp); echo x > $t; cat $t
        d=$(mktemp -d); [ -d $d ] && echo made; rm -rf missing; rm missing || echo $?`
      expect((await run(workspace, command)).stdout).toBe(
        'Linux\n1000\ny\ny\n00000000: 6162 630a                                abc.\n6162630a\n/a.txt\nx\nmade\n1\n',
      )
    })

    test('a string that keeps doubling reaches a limit', async () => {
      const workspace = await open({})
      const ran = await run(workspace, 'echo kept > kept; x=0123456789; while :; do x=$x$x; done; echo never > never')
      expect([ran.ended, ran.exitCode, ran.stdout]).toEqual(['exit', 137, ''])
      expect(ran.stderr).toContain('bash: killed: out of memory, a command may use 512 MB')
      expect((await run(workspace, 'echo *')).stdout).toBe('kept\n')
    })

    test('times that a command sets are stored, where files have times', async () => {
      const workspace = await open({ '/a.txt': 'a\n', '/d/b.txt': 'b\n', '/same.txt': 'same\n' })
      const { fs, history } = workspace
      const touched = await run(workspace, 'touch -d 2001-02-03T04:05:06Z a.txt d/b.txt')
      if (fs.capabilities.modified !== 'write') return expect(touched.stderr).toContain('not supported')
      const at = Date.UTC(2001, 1, 3, 4, 5, 6)
      expect([touched, await history.list()]).toEqual([{ ended: 'exit', exitCode: 0, stdout: '', stderr: '' }, []])
      const command = `
        cp -p a.txt copy.txt; cp -a d e; mv a.txt moved.txt; cp moved.txt plain.txt
        tar cf all.tar moved.txt d; mkdir out; tar xf all.tar -C out
        echo new > new.txt; touch -d 2001-02-03T04:05:06Z new.txt; chmod 600 copy.txt`
      expect(await run(workspace, command)).toEqual({ ended: 'exit', exitCode: 0, stdout: '', stderr: '' })
      const times = async (...paths: string[]) =>
        Promise.all(paths.map(async (path) => (await fs.stat(path)).modifiedMs))
      const kept = ['/copy.txt', '/d/b.txt', '/e/b.txt', '/moved.txt', '/out/moved.txt', '/out/d/b.txt', '/new.txt']
      expect(await times(...kept)).toEqual(kept.map(() => at))
      expect((await times('/plain.txt', '/same.txt')).every((time) => (time ?? 0) > at)).toBe(true)
    })

    test('clock and randomness come from the workspace, if it has its own', async () => {
      const command = 'date -u +%FT%T; echo $RANDOM $RANDOM; shuf -i 1-1000 -n 3 | tr "\\n" " "; echo $EPOCHSECONDS'
      const options = { now: () => Date.UTC(2024, 0, 2, 3, 4, 5), random: () => 0.25 }
      const one = await run(await open({}, options), command)
      const other = await run(await open({}, options), command)
      expect(one.stdout).toMatch(/^2024-01-02T03:04:05\n/)
      expect(one.stdout.trim().endsWith(String(Date.UTC(2024, 0, 2, 3, 4, 5) / 1000))).toBe(true)
      expect([other, one.stderr]).toEqual([one, ''])
    })

    test('limits how much a command writes', async () => {
      const workspace = await open({})
      const { stderr } = await run(workspace, 'head -c 60000 /dev/zero > a; cat a > b; echo over')
      expect(stderr).toMatch(/^(cat|bash): .*No space left on device\n$/)
    })
  })
}

async function edit(workspace: Workspace, path: string, content: string): Promise<void> {
  await workspace.changes.run({ label: 'edit', scopes: [{ path }] }, async (draft, [at = path]) => {
    await draft.write(at, bytes(content))
  })
}
