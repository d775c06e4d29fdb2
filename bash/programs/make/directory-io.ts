/** The same program in another directory, for `-C`. */
import { resolve } from '../../../src/fs/path.js'
import type { ProgramIo, ShellFiles } from '../../io/program.js'

export function inDirectory(io: ProgramIo, directory: string): ProgramIo {
  const at = (path: string) => resolve(directory, path)
  return {
    ...io,
    cwd: directory,
    fs: filesIn(io.fs, at),
    path: at,
    error: (message) => io.error(message),
    run: (argv, options) => io.run(argv, { cwd: directory, ...options }),
    has: (name) => io.has(name.includes('/') ? at(name) : name),
  }
}

function filesIn(fs: ShellFiles, at: (path: string) => string): ShellFiles {
  return {
    capabilities: fs.capabilities,
    stat: (path) => fs.stat(at(path)),
    lstat: (path) => fs.lstat(at(path)),
    readDir: (path) => fs.readDir(at(path)),
    openRead: (path) => fs.openRead(at(path)),
    makePipe: (path) => fs.makePipe(at(path)),
    openPipe: (path) => fs.openPipe(at(path)),
    openAll: (directory, names) => fs.openAll(at(directory), names),
    openWrite: (path, options) => fs.openWrite(at(path), options),
    readFile: (path, range) => fs.readFile(at(path), range),
    writeFile: (path, data, options) => fs.writeFile(at(path), data, options),
    makeDir: (path) => fs.makeDir(at(path)),
    remove: (path) => fs.remove(at(path)),
    rename: (from, to) => fs.rename(at(from), at(to)),
    symlink: (target, path) => fs.symlink(target, at(path)),
    readLink: (path) => fs.readLink(at(path)),
    realPath: (path) => fs.realPath(at(path)),
    setMode: (path, mode) => fs.setMode(at(path), mode),
    setModified: (path, modifiedMs) => fs.setModified(at(path), modifiedMs),
  }
}
