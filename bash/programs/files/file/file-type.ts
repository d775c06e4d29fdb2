/** The kind of some data in words and as a MIME type, with the encoding of text. */
export interface FileType {
  text: string
  mime: string
  /** Absent: `binary`. */
  encoding?: string
}
