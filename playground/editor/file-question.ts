/** The question above a text that can't be saved as it is, or whose file is gone. It stays until it is answered. */
import { choose } from '../page/dialogs.js'
import { button, h } from '../page/dom.js'

export type Question = 'changed' | 'deleted' | 'encoding'

export interface FileQuestion {
  readonly banner: HTMLElement
  readonly asked: Question | undefined
  /** Asks, or takes the question away. `character`: the one that the encoding does not have. */
  ask(question: Question | undefined, character?: string): void
  /** Asks in a dialog before the file is closed. False when it is to stay open. */
  askToClose(path: string): Promise<boolean>
}

export interface FileQuestionOptions {
  answers: Answers
  /** Runs an answer after what is being done. */
  run(answer: () => Promise<void>): Promise<void>
  /** True when something typed is not in the file. */
  hasEdits(): boolean
  /** The encoding of the file, in words. */
  encoding(): string
}

/** What is done for each answer. */
export interface Answers {
  compare(): Promise<void>
  keepMine(): Promise<void>
  takeTheirs(): Promise<void>
  discard(): Promise<void>
  /** Discards what was typed into a file that is gone. */
  discardDeleted(): Promise<void>
  saveAsUtf8(): Promise<void>
  restore(): Promise<void>
}

interface Choice {
  label: string
  run(): Promise<void>
  /** The tab may be closed afterwards. */
  closes: boolean
}

export function fileQuestion({ answers, run, hasEdits, encoding }: FileQuestionOptions): FileQuestion {
  let asked: Question | undefined
  let missingCharacter: string | undefined
  const banner = h('div', { class: 'banner', role: 'status', hidden: true })

  function sentence(question: Question): string {
    if (question === 'changed') return 'Someone else changed this file while you were editing it.'
    if (question === 'deleted') {
      return hasEdits() ? 'This file was deleted while you were editing it.' : 'This file was deleted.'
    }
    return missingCharacter === undefined
      ? `Not saved: in ${encoding()}, the encoding of this file, this text would be read as another one.`
      : `Not saved: ${encoding()}, the encoding of this file, has no “${missingCharacter}”.`
  }

  function choices(): Choice[] {
    const keepMine = { label: 'Keep mine', run: answers.keepMine, closes: true }
    const discard = { label: 'Discard mine', run: answers.discard, closes: true }
    if (asked === undefined) return [discard]
    if (asked === 'changed') {
      return [
        { label: 'Compare', run: answers.compare, closes: false },
        keepMine,
        { label: 'Take theirs', run: answers.takeTheirs, closes: true },
      ]
    }
    if (asked === 'encoding') return [{ label: 'Save as UTF-8', run: answers.saveAsUtf8, closes: true }, discard]
    if (!hasEdits()) return [{ label: 'Restore it', run: answers.restore, closes: false }]
    return [keepMine, { ...discard, run: answers.discardDeleted }]
  }

  return {
    banner,
    get asked() {
      return asked
    },
    ask(question, character) {
      asked = question
      missingCharacter = character
      banner.hidden = question === undefined
      if (question === undefined) return
      const buttons = choices().map((choice) => button(choice.label, () => void run(choice.run)))
      banner.replaceChildren(h('span', {}, sentence(question)), ...buttons)
    },
    async askToClose(path) {
      const offered = choices()
      const chosen = await choose(
        `Close ${path}?`,
        asked === undefined ? 'What you typed could not be saved.' : sentence(asked),
        offered.map(({ label }) => label),
      )
      const choice = offered.find(({ label }) => label === chosen)
      if (choice === undefined) return false
      await run(choice.run)
      return choice.closes && !hasEdits()
    },
  }
}
