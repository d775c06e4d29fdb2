export interface SitePage {
  /** The file or directory of the repository that it shows. */
  source: string
  title: string
  text: string
  /** Shows a file that is not Markdown, or lists a directory. */
  isSource?: boolean
}

export function sitePages(root: string): { pages: Map<string, SitePage>; pictures: Map<string, string> }
export function headingAnchors(text: string): string[]
export function anchorOf(heading: string): string
