/**
 * The declarations that are published: those an entry of package.json leads to, and not the many that only our own code uses. The
 * declarations of zod go along, since the code of zod is bundled: users install no other package for the types either.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix, relative } from 'node:path'

/** Where the compiler writes all declarations, where those go that are published, and where others' go in there. */
const compiled = 'dist/types'
export const published = 'dist/declarations'
const others = `${published}/bundled`

/** Libraries whose declarations are copied, by the specifier that ours import. */
const copied = { zod: { directory: 'node_modules/zod', entry: 'index.d.ts' } }

/** A module specifier of a static import or export at the start of a line, or of an `import()` type. */
const specifiers = /(^(?:import|export)\b[^'"\n]*\bfrom\s*|^\}\s*from\s*|^import\s*|\bimport\()(['"])([^'"]+)\2/gm

/**
 * Writes them. Returns how many files that are, and the directories of the packages that were copied from.
 *
 * @param {string} root
 * @param {Record<string, { types?: string }>} entries the `exports` of package.json
 */
export async function publishDeclarations(root, entries) {
  await rm(join(root, published), { recursive: true, force: true })
  const done = new Set()
  const packages = new Set()
  const waiting = Object.values(entries).flatMap(({ types }) => (types === undefined ? [] : [posix.normalize(types)]))
  for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
    if (done.has(target)) continue
    done.add(target)
    const text = await readFile(join(root, sourceOf(target)), 'utf8')
    await write(join(root, target), rewritten(text, target))
  }
  return { files: done.size, packages: [...packages] }

  function rewritten(text, target) {
    const known = target === `${others}/zod/v4/core/versions.d.ts` ? anyMinorVersion(text) : text
    return known.replace(specifiers, (all, before, quote, specifier) => {
      const next = follow(specifier, target)
      if (next === undefined) return all
      waiting.push(next)
      return `${before}${quote}${importOf(next, target)}${quote}`
    })
  }

  /** The file that is published for a specifier; undefined for one of Node or of a peer. */
  function follow(specifier, target) {
    if (specifier.startsWith('.')) {
      return posix.join(posix.dirname(target), specifier.replace(/\.js$/, '.d.ts'))
    }
    const library = copied[specifier]
    if (library === undefined) return undefined
    packages.add(join(root, library.directory))
    return `${others}/${specifier}/${library.entry}`
  }
}

function sourceOf(target) {
  for (const [name, { directory }] of Object.entries(copied)) {
    if (target.startsWith(`${others}/${name}/`)) return join(directory, target.slice(others.length + name.length + 2))
  }
  return join(compiled, relative(published, target))
}

function importOf(next, target) {
  const path = posix.relative(posix.dirname(target), next).replace(/\.d\.ts$/, '.js')
  return path.startsWith('.') ? path : `./${path}`
}

/**
 * zod's types contain its version, so that those of one minor version do not fit another's. A schema of the user's own zod, which
 * `polyfs/dialect` takes, must fit whichever minor version that is.
 */
function anyMinorVersion(text) {
  const changed = text.replace(/(minor: )\d+/, '$1number')
  if (changed === text) throw new Error('build: the version in the types of zod is not where it was')
  return changed
}

async function write(file, text) {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
