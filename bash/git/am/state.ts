/** Where an `am` is, in the files of `.git/rebase-apply` as git has them. */
import { join } from '../../../src/fs/path.js'
import { type Repository, readGitFile } from '../../../src/git/repository.js'
import { writeGitFile } from '../commands/merge.js'
import type { MailRules } from './mailbox.js'

export interface AmState {
  mails: readonly string[]
  /** The number of the mail to apply, from 1. */
  next: number
  isQuiet: boolean
  isSigned: boolean
  rules: MailRules
}

const directory = 'rebase-apply'
const flagText = (is: boolean) => (is ? 't\n' : 'f\n')
const mailName = (number: number) => `${number}`.padStart(4, '0')

export async function isApplying(repository: Repository): Promise<boolean> {
  return (await readGitFile(repository, `${directory}/applying`)) !== undefined
}

export async function saveAm(repository: Repository, state: AmState): Promise<void> {
  const { keepsSubject, keepsOtherBrackets } = state.rules
  const files: Record<string, string> = {
    applying: '',
    quiet: flagText(state.isQuiet),
    sign: flagText(state.isSigned),
    keep: keepsSubject ? 't\n' : keepsOtherBrackets ? 'b\n' : 'f\n',
    threeway: 'f\n',
    utf8: 't\n',
    last: `${state.mails.length}\n`,
    next: `${state.next}\n`,
  }
  for (const [index, mail] of state.mails.entries()) files[mailName(index + 1)] = mail
  for (const [name, text] of Object.entries(files)) await writeGitFile(repository, `${directory}/${name}`, text)
}

export async function saveNext(repository: Repository, next: number): Promise<void> {
  await writeGitFile(repository, `${directory}/next`, `${next}\n`)
}

export async function readAm(repository: Repository): Promise<AmState> {
  const read = async (name: string) => (await readWhole(repository, name)) ?? ''
  const last = Number(await read('last'))
  const keep = (await read('keep')).trim()
  const mails: string[] = []
  for (let number = 1; number <= last; number += 1) mails.push(await read(mailName(number)))
  return {
    mails,
    next: Number(await read('next')),
    isQuiet: (await read('quiet')).trim() === 't',
    isSigned: (await read('sign')).trim() === 't',
    rules: { keepsSubject: keep === 't', keepsOtherBrackets: keep === 'b' },
  }
}

async function readWhole({ staged, gitDirectory }: Repository, name: string): Promise<string | undefined> {
  const path = join(gitDirectory, `${directory}/${name}`)
  if ((await staged.stat(path))?.kind !== 'file') return undefined
  return new TextDecoder().decode(await staged.reader(path)())
}

export async function clearAm({ staged, gitDirectory }: Repository): Promise<void> {
  const path = join(gitDirectory, directory)
  for (const name of await staged.list(path)) staged.remove(join(path, name))
  staged.remove(path)
}
