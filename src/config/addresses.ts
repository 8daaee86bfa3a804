/** The names of the parts of a path that vary, such as `formId` of `/forms/:formId`. */
type NamesIn<Route extends string> = Route extends `${string}:${infer Name}/${infer Rest}`
  ? [Name, ...NamesIn<Rest>]
  : Route extends `${string}:${infer Name}`
    ? [Name]
    : []

/** What a route hands over, such as `{ formId: string }` for `/forms/:formId`. */
export type ParamsOf<Route extends string> = { readonly [Name in NamesIn<Route>[number]]: string }

/** One text for each part that varies, in their order. A list of positions is one of numbers too. */
type PartsOf<Names extends readonly string[]> = { readonly [Index in keyof Names]: string | number }

/**
 * An address of this server. Called with what varies, it returns the path for a link, which begins with the path of
 * `FORMBOX_URL`. Routes are matched without that.
 */
export interface Address<Route extends string = string> {
  (...parts: PartsOf<NamesIn<Route>>): string
  readonly route: Route
}

/** The path of `FORMBOX_URL`, such as `/formbox`; empty at the root of a host. */
let base = ''

/** Puts every address of this process below a path. To be called before anything is served or sent. */
export const putAddressesBelow = (path: string): void => {
  base = path
  for (const place of placed) place()
}

/** Puts each address below `base`. */
const placed: (() => void)[] = []

/** The path below which all addresses are; empty at the root of a host. */
export const basePath = (): string => base

/** The address of the server as its operator wrote it, without a slash at the end. @param origin scheme, host and port */
export const serverUrl = (origin: string): string => origin + base

/** A path that a route has matched, as browsers know it. */
export const below = (path: string): string => base + path

/** Where a visitor is: where forms send to, at the page of a form, or behind the link in a mail. */
export type Place = 'messages' | 'form' | 'link'

/** The first parts of all paths, such as `forms`. Everything below one with a place is for visitors. */
const ownParts = new Map<string, Place | undefined>()

/** Whether the path of some page begins with this part. */
export const isOwnPart = (part: string): boolean => part !== '' && ownParts.has(part)

/** Where a visitor is at this path, also at one without a route; undefined for what is not for visitors. */
export const visitorsPlaceAt = (path: string): Place | undefined => ownParts.get(/^\/([^/]*)\//.exec(path)?.[1] ?? '')

/** Identifiers stay as they are, which is found out in a third of the time that it takes to encode one. */
const encoded = (part: string | number): string =>
  typeof part === 'string' && /^\w+$/.test(part) ? part : encodeURIComponent(part)

/** @param place where visitors are who get an error below its first part */
const at = <const Route extends string>(route: Route, place?: Place): Address<Route> => {
  const first = route.split('/')[1] ?? ''
  ownParts.set(first, place ?? ownParts.get(first))
  const [head = '', tail = '', ...tails] = route.split(/:\w+/)
  let start = head
  placed.push(() => {
    start = base + head
  })
  const constant = (): string => start
  const ofOne = (part: string | number): string => start + encoded(part) + tail
  const ofMore = (part: string | number, ...parts: (string | number)[]): string =>
    tails.reduce((path, next, i) => path + encoded(parts[i] ?? '') + next, ofOne(part))
  const toPath = tails.length > 0 ? ofMore : route.includes(':') ? ofOne : constant
  return Object.assign(toPath as Address<Route>, { route })
}

/** The whole address of a field of a submission, from that of its page. Mails have nothing else. */
export const sentFieldAt = (page: string, field: number): string => `${page}/fields/${field}`
export const sentFileAt = (page: string, fileId: string): string => `${page}/files/${fileId}`
/** The whole address of the page of a submission, from that of the page of its form. */
export const submissionAt = (formPage: string, id: string): string => `${formPage}/submissions/${id}`

// Where forms send to, and the pages of visitors.

export const submitPath = at('/s/:formId', 'messages')
export const challengePath = at('/s/:formId/challenge')
export const challengeScriptPath = at('/challenge.js')
/** The page of a form, for visitors. */
export const visitorsPath = at('/f/:formId', 'form')
/** Confirms the address of a submission. */
export const confirmPath = at('/c/:token', 'link')
/** Deletes what someone else has sent with the address of the reader. */
export const withdrawPath = at('/c/:token/not-me')
export const unsubscribePath = at('/unsubscribe/:token', 'link')
export const unsubscribeAllPath = at('/unsubscribe/:token/all')
export const resubscribePath = at('/unsubscribe/:token/allow')
/** A file of a submission, for whoever got its address from a webhook. */
export const linkedFilePath = at('/files/:fileId')
export const invitePath = at('/invite/:token')
/** The guides, for everyone. */
export const guidesPath = at('/guides')
export const guidePath = at('/guides/:name')
/** Programs take a sheet for CSV by the end of its name, which is `sheetName`. */
export const sheetPath = at('/sheet/:name')
export const sheetName = (token: string): string => `${token}.csv`

// Signing in.

export const setupPath = at('/setup')
export const signInPath = at('/sign-in')
export const signInGoOnPath = at('/sign-in/go-on')
export const signInCodePath = at('/sign-in/code')
/** Leads to the provider, which leads back here. */
export const signInOidcPath = at('/sign-in/oidc')
export const signOutPath = at('/sign-out')

// The pages of a user.

/** The inbox of all forms. */
export const homePath = at('/')
export const inboxEventsPath = at('/inbox/events')
/** Does something with the selected submissions of the inbox. */
export const inboxActionsPath = at('/inbox/selected')
export const inboxReadPath = at('/inbox/read')
export const inboxExportPath = at('/inbox/export')
export const formsPath = at('/forms')
export const formsEventsPath = at('/forms/events')
/** The page of the server, for operators. */
export const serverPath = at('/server')
export const testMailPath = at('/server/mail')
export const backUpPath = at('/server/backup')
export const personalDataPath = at('/personal-data')
export const exportPersonPath = at('/personal-data/export')
export const erasePersonPath = at('/personal-data/erase')
export const keysPath = at('/settings/keys')
export const revokeKeyPath = at('/settings/keys/:keyId/revoke')
export const accountPath = at('/settings/account')
/** Mails a link that proves the address. */
export const addressPath = at('/settings/account/address')
export const newAddressPath = at('/settings/account/address/:token')
export const passwordPath = at('/settings/account/password')
export const endSessionPath = at('/settings/account/sessions/:sessionId/end')
export const signOutOthersPath = at('/settings/account/sign-out-others')
export const signOutEverywherePath = at('/settings/account/sign-out-everywhere')
export const connectOidcPath = at('/settings/account/oidc')
export const disconnectOidcPath = at('/settings/account/oidc/disconnect')
export const secondFactorPath = at('/settings/account/second-factor')
export const recoveryCodesPath = at('/settings/account/second-factor/recovery-codes')
export const secondFactorOffPath = at('/settings/account/second-factor/off')

// The pages of a form.

export const newFormPath = at('/forms/new')
/** The first page of a form, which lists its submissions. */
export const formPath = at('/forms/:formId')
export const formEventsPath = at('/forms/:formId/events')
export const exportPath = at('/forms/:formId/export')
export const answersPath = at('/forms/:formId/answers')
export const answersFilePath = at('/forms/:formId/answers.csv')
export const columnsPath = at('/forms/:formId/columns')
export const deleteSubmissionsPath = at('/forms/:formId/submissions/delete')
export const markSpamPath = at('/forms/:formId/submissions/spam')
export const markReadPath = at('/forms/:formId/submissions/read')
export const handlingPath = at('/forms/:formId/submissions/handling')
export const submissionPath = at('/forms/:formId/submissions/:submissionId')
export const notesPath = at('/forms/:formId/submissions/:submissionId/notes')
export const removeNotePath = at('/forms/:formId/submissions/:submissionId/notes/remove')
/** A long value of a submission, by the position of its field. */
export const sentFieldPath = at('/forms/:formId/submissions/:submissionId/fields/:field')
export const sentFilePath = at('/forms/:formId/submissions/:submissionId/files/:fileId')
export const spamPath = at('/forms/:formId/spam')
export const exportSpamPath = at('/forms/:formId/spam/export')
export const learnedPath = at('/forms/:formId/spam/learned')
export const blockTermPath = at('/forms/:formId/spam/:submissionId/block')
export const spamFilePath = at('/forms/:formId/spam/:submissionId/files/:fileId')
export const embedPath = at('/forms/:formId/embed')
export const deleteTestPath = at('/forms/:formId/embed/delete')
export const qrPath = at('/forms/:formId/qr.svg')
/** What a form asks for, and its page. */
export const formTabPath = at('/forms/:formId/form')
/** Where a form sends what comes in, the first page of its settings. */
export const settingsPath = at('/forms/:formId/settings')
export const visitorSettingsPath = at('/forms/:formId/settings/visitors')
export const spamSettingsPath = at('/forms/:formId/settings/spam')
export const peopleSettingsPath = at('/forms/:formId/settings/people')
export const dangerPath = at('/forms/:formId/settings/danger')
export const testReplyPath = at('/forms/:formId/reply/test')
export const testConfirmPath = at('/forms/:formId/confirm/test')
/** Adds a receiver: of the kind in its query. */
export const newReceiverPath = at('/forms/:formId/settings/told/new')
export const receiverPath = at('/forms/:formId/settings/told/:receiverId')
export const removeAddressPath = at('/forms/:formId/settings/told/:receiverId/remove')
export const testAddressPath = at('/forms/:formId/settings/told/:receiverId/test')
export const testWebhookPath = at('/forms/:formId/webhooks/:webhookId/test')
export const switchWebhookPath = at('/forms/:formId/webhooks/:webhookId/switch')
export const rotateWebhookPath = at('/forms/:formId/webhooks/:webhookId/rotate')
export const deleteWebhookPath = at('/forms/:formId/webhooks/:webhookId/delete')
export const deliveriesPath = at('/forms/:formId/deliveries')
export const retryDeliveriesPath = at('/forms/:formId/deliveries/retry')
export const stopDeliveriesPath = at('/forms/:formId/deliveries/stop')
export const retryDeliveryPath = at('/forms/:formId/deliveries/:deliveryId/retry')
export const dismissDeliveryPath = at('/forms/:formId/deliveries/:deliveryId/dismiss')
export const importsPath = at('/forms/:formId/imports')
export const importPath = at('/forms/:formId/imports/:importId')
export const sheetsPath = at('/forms/:formId/sheets')
export const deleteSheetPath = at('/forms/:formId/sheets/:sheetId/delete')
export const membersPath = at('/forms/:formId/members')
export const memberPath = at('/forms/:formId/members/:memberId')
export const ownerPath = at('/forms/:formId/owner')
export const leavePath = at('/forms/:formId/leave')
/** Closes a form, or opens it again. */
export const closePath = at('/forms/:formId/close')
/** The file that describes a form. */
export const describePath = at('/forms/:formId/settings/file')
export const duplicatePath = at('/forms/:formId/duplicate')
export const deleteFormPath = at('/forms/:formId/delete')

// For programs.

/** The operations of the API are below it, each at the path that it declares. */
export const apiPath = at('/api/v1')
/** For examples. */
export const formsApiPath = at('/api/v1/forms')
export const openApiPath = at('/api/v1/openapi.json')
export const referencePath = at('/docs')
/** The style, the script and the icon of all pages. */
export const assetPath = at('/assets/:file')
/** What Swagger UI needs. */
export const referenceFilePath = at('/docs/:file')
export const robotsPath = at('/robots.txt')
export const healthPath = at('/healthz')
export const readyPath = at('/readyz')
export const metricsPath = at('/metrics')
/** Where machines of a cluster ask each other for their data: directly, so below no path. */
export const clusterCopyPath = at('/cluster/copy')
