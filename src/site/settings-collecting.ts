import {
  parseFileTypes,
  parseMaxFileBytes,
  parseMaxFiles,
  parseOrigins,
  parseRetentionDays,
  parseSubmitLimit,
  sizeInWords,
} from '../forms/form-fields.ts'
import { maxOrigins } from '../forms/origins.ts'
import { maxMaxFiles, maxRetentionDays, parseSettings } from '../forms/settings.ts'
import { count, counted, days } from '../html/format.ts'
import { html } from '../html/html.ts'
import { formPath, refusedText } from './form-frame.ts'
import { inOrder, type SettingsSection } from './setting.ts'

/** Limits of what the form takes, and how long it is stored. */
export const collectingSection: SettingsSection = {
  name: 'collecting',
  heading: 'Collecting',
  lead: 'Who may send, how much is taken, and for how long it is kept.',
  settings: [
    {
      name: 'allowedOrigins',
      label: 'Pages that may send',
      type: 'lines',
      hint: ({ refused }) =>
        html`One origin a line, up to ${maxOrigins}, such as https://example.com or https://*.example.com. Leave empty to allow every page.${refused.length > 0 && html` <strong>${refusedText(refused)}</strong>`}`,
      isOptional: true,
      brief: ({ settings }) => {
        const { allowedOrigins } = parseSettings(settings)
        return allowedOrigins.length === 0 ? 'Every page may send' : counted(allowedOrigins.length, 'origin')
      },
      toText: ({ settings }) => parseSettings(settings).allowedOrigins.join('\n'),
      parse: parseOrigins,
    },
    {
      name: 'submitLimit',
      label: 'Submissions a minute',
      type: 'number',
      hint: ({ submitLimit }) => mostInWords(submitLimit),
      isOptional: true,
      brief: ({ settings }) => {
        const { submitLimit } = parseSettings(settings)
        return submitLimit !== null && `${count(submitLimit)} a minute from one address`
      },
      toText: ({ settings }) => String(parseSettings(settings).submitLimit ?? ''),
      parse: (text, { submitLimit }) => parseSubmitLimit(text, submitLimit),
    },
    {
      name: 'retentionDays',
      label: 'Days to keep submissions',
      type: 'number',
      hint: `From 1 to ${count(maxRetentionDays)}. Older ones are deleted for good, with their files. Leave empty to keep them until you delete them.`,
      isOptional: true,
      brief: ({ settings }) => {
        const { retentionDays } = parseSettings(settings)
        return retentionDays !== null && `Kept for ${days(retentionDays)}`
      },
      toText: ({ settings }) => String(parseSettings(settings).retentionDays ?? ''),
      parse: parseRetentionDays,
    },
  ],
}

const mostInWords = (most: number): string =>
  most === 0
    ? 'From one address, which people in one network may share. Leave empty for any number.'
    : `Up to ${count(most)} from one address, which people in one network may share. Leave empty for ${count(most)}.`

/** The usual kinds of files, in words of people who know no media types. */
const fileChoices = {
  offered: [
    { words: ['image/*'], label: 'Images', hint: 'JPEG, PNG, HEIC and others' },
    { words: ['application/pdf'], label: 'PDF' },
    { words: ['.doc', '.docx', '.odt', '.rtf'], label: 'Documents', hint: 'Word, OpenDocument, RTF' },
    { words: ['.xls', '.xlsx', '.ods', '.csv'], label: 'Spreadsheets', hint: 'Excel, OpenDocument, CSV' },
    { words: ['.ppt', '.pptx', '.odp'], label: 'Presentations', hint: 'PowerPoint, OpenDocument' },
    { words: ['audio/*'], label: 'Audio', hint: 'MP3 and others' },
    { words: ['video/*'], label: 'Video', hint: 'MP4, MOV and others' },
    { words: ['.zip'], label: 'ZIP archives' },
  ],
  others: { label: 'Others', hint: 'Endings such as .txt .epub, or media types such as text/plain.' },
}

/** Which files the form takes. */
export const filesSection: SettingsSection = {
  name: 'files',
  heading: 'Files',
  lead: 'Whether visitors may send files, and which ones. A submission with any other file is refused as a whole.',
  settings: [
    {
      name: 'acceptFiles',
      label: 'Accept files',
      type: 'checkbox',
      hint: ({ form }) =>
        html`Otherwise, a submission with a file is refused. Your page needs a <a href="${formPath(form.id)}/embed?with=files">form for files</a>.`,
      brief: ({ settings }) => (parseSettings(settings).acceptFiles ? 'Accepted' : 'Not accepted'),
      toText: ({ settings }) => (parseSettings(settings).acceptFiles ? 'on' : ''),
      parse: (text) => text === 'on',
    },
    {
      name: 'fileTypes',
      label: 'Kinds of files',
      type: 'choices',
      choices: fileChoices,
      hint: 'None chosen: every kind. Names and contents must both fit: a program called cv.pdf is no PDF.',
      isOptional: true,
      brief: ({ settings }) => parseSettings(settings).fileTypes.join(' '),
      toText: ({ settings }) => inOrder(fileChoices, parseSettings(settings).fileTypes).join('\n'),
      parse: parseFileTypes,
    },
    {
      name: 'maxFiles',
      label: 'Files in a submission',
      type: 'number',
      hint: `Up to ${maxMaxFiles}. Leave empty for ${maxMaxFiles}.`,
      isOptional: true,
      brief: ({ settings }) => {
        const { maxFiles } = parseSettings(settings)
        return maxFiles !== null && `${maxFiles} in a submission`
      },
      toText: ({ settings }) => String(parseSettings(settings).maxFiles ?? ''),
      parse: parseMaxFiles,
    },
    {
      name: 'maxFileBytes',
      label: 'Size of a file',
      type: 'text',
      hint: ({ fileLimitBytes }) =>
        `Such as 500 KiB or 2 MiB, up to ${sizeInWords(fileLimitBytes)}. Leave empty for ${sizeInWords(fileLimitBytes)}.`,
      isOptional: true,
      brief: ({ settings }) => {
        const { maxFileBytes } = parseSettings(settings)
        return maxFileBytes !== null && `Up to ${sizeInWords(maxFileBytes)} each`
      },
      toText: ({ settings }) => {
        const { maxFileBytes } = parseSettings(settings)
        return maxFileBytes === null ? '' : sizeInWords(maxFileBytes)
      },
      parse: (text, { fileLimitBytes }) => parseMaxFileBytes(text, fileLimitBytes),
    },
  ],
}
