import { parseOnce } from '../base/parse-once.ts'
import { factsOf } from '../forms/fields/form-field.ts'
import { parseSettings } from '../forms/settings/settings.ts'

/**
 * What a field tells of a submission, as far as its type, its name or its label says so. An `aside` is never what a
 * submission is about: a tick, a hidden field, a title, a postal address, what a campaign or a guard against robots adds.
 */
export type FieldRole =
  | 'name'
  | 'givenName'
  | 'familyName'
  | 'organization'
  | 'email'
  | 'telephone'
  | 'subject'
  | 'lines'
  | 'aside'

/** Names of fields in the languages of visitors, folded as `foldName` does. */
const words: Readonly<Record<FieldRole, string>> = {
  name: `name fullname yourname yourfullname contactname contactperson customername sendername guestname author whatisyourname
    whatsyourname whatsyourfullname whatisyourfullname respondentname participantname applicantname attendee attendeename clientname
    visitorname wieheissensie wieheisstdu wielautetihrname wieistihrname quelestvotrenom commentvousappelezvous comosellama
    comotellamas cualestunombre qualeiltuonome cometichiami
    ihrname deinname vollername vorundnachname vornameundnachname vornamenachname ansprechpartner ansprechperson nom votrenom
    nomcomplet nometprenom nomprenom prenometnom prenomnom nombre tunombre sunombre nombrecompleto nombreyapellidos
    nombreyapellido nome ilnome iltuonome nomecompleto nomeecognome nomecognome cognomeenome seunome naam uwnaam jenaam
    volledigenaam imieinazwisko jmeno jmenoaprijmeni celejmeno namn dittnamn navn adsoyad adinizsoyadiniz isim adiniz імя імʼя вашеімя вашеімʼя
    імятапрізвище піб имя имяифамилия фио お名前 名前 氏名 姓名 名字 您的姓名 الاسم الاسمالكامل اسمك 이름 성함
    tonnom tuonome teunome dittnavn yourfullname 성명`,
  givenName: `first namefirst yourfirstname whatisyourfirstname whatsyourfirstname firstname fname forename givenname vorname ihrvorname prenom votreprenom primernombre primeironome voornaam imie
    krestnijmeno fornamn fornavn ad имʼя 名 الاسمالاول`,
  familyName: `last namelast yourlastname whatisyourlastname whatsyourlastname lastname lname surname familyname nachname familienname zuname nomdefamille apellido apellidos cognome sobrenome
    apelido achternaam nazwisko prijmeni efternamn etternavn soyad soyadi прізвище фамилия 姓 苗字 اسمالعائلة
    primerapellido`,
  organization: `company companyname organisation organization organisationname organizationname business businessname employer
    firma firmenname unternehmen betrieb verein entreprise societe nomdelentreprise association empresa nombredelaempresa
    compania azienda societa ditta ragionesociale bedrijf bedrijfsnaam spolecnost foretag sirket компанія 会社名 御社名 公司 公司名称 الشركة`,
  email: `email emailaddress youremail youremailaddress mail mailaddress emailadresse ihreemail ihreemailadresse courriel
    adresseemail adressemail adresseelectronique votreemail correo correoelectronico tucorreo sucorreo direcciondecorreo
    indirizzoemail posta enderecodeemail emailadres adresemail emailova emailovaadresa epost epostadress eposta epostaadresi
    поштаемейл електроннапошта メール メールアドレス 邮箱 电子邮件 电子邮箱 البريدالإلكتروني البريدالالكتروني 이메일 replyto`,
  telephone: `tel telephone phone phonenumber telephonenumber yourphone mobile mobilephone mobilenumber cell cellphone whatsapp
    telefon telefonnummer ihretelefonnummer handy handynummer mobil mobilnummer rufnummer telephoneportable numerodetelephone
    portable telefono numerodetelefono movil celular telefonomovil cellulare numeroditelefono telefone telemovel
    telefoonnummer telefoon mobiel numertelefonu telefonnicislo telefonnumarasi телефон номертелефону 電話 電話番号 电话 手机 手机号
    الهاتف رقمالهاتف 전화번호
    ceptelefonu cep telefonceplular telefonemovel 手机号码 携帯電話 연락처 رقمالجوال الجوال`,
  subject: `subject yoursubject topic regarding reason betreff thema anliegen sujet objet motif asunto tema motivo oggetto
    argomento assunto onderwerp temat predmet amne emne konu тема 件名 主题 الموضوع 제목
    arende typeofrequest typeofenquiry artderanfrage tipodeevento typeofevent occasion anlass typededemande tipodeconsulta tipodesolicitud tiporichiesta お問い合わせ種別 ご用件 문의유형`,
  lines: `message yourmessage msg text comment comments yourcomments enquiry inquiry question details description body
    nachricht ihrenachricht deinenachricht mitteilung anfrage kommentar bemerkungen anmerkungen frage messaggio ilmessaggio
    commenti richiesta votremessage commentaire commentaires demande mensaje tumensaje sumensaje comentario comentarios consulta
    mensagem comentários bericht uwbericht opmerkingen vraag wiadomosc tresc trescwiadomosci zprava vasezprava vzkaz meddelande
    besked melding mesaj mesajiniz повідомлення сообщение メッセージ お問い合わせ内容 本文 留言 消息 信息 الرسالة رسالتك 메시지 내용
    note notes remark remarks anythingelse commentormessage notiz bemerkung notizen iltuomessaggio osservazioni observaciones
    observacoes opmerking poznamka uwagi 留言内容 备注 備考 문의내용 projectdescription descriptionofproject tellusmore yourproject`,
  aside: `salutation anrede civilite tratamiento titolo aanhef gender geschlecht sexe street streetaddress address address1 address2
    addressline1 addressline2 zip zipcode postcode postalcode city town state province country strasse strassehausnummer
    hausnummer plz postleitzahl ort stadt land rue adresse codepostal ville pays calle direccion codigopostal ciudad pais via
    indirizzo cap citta paese straat huisnummer plaats rua cep cidade consent agree accept terms privacy gdpr newsletter optin
    datenschutz agb einwilligung rgpd confidentialite privacidad consentimiento acepto consenso gclid fbclid referrer useragent
    timestamp submissiondate submitdate submitdateutc startdateutc stagedateutc submittedat datecreated createdat createdby entrydate
    starttime completiontime lastmodifiedtime lastupdatedate start end today enddate id entryid submissionid respondentid collectorid
    networkid transactionid uuid seed lastpage startlanguage responsetype completionstatus lastpageaccessed tags ip ipaddress userip
    submissionip sourceurl submissionurl createdbyuserid
    page pageurl url formid formname csrf csrftoken token nonce timestamp grecaptcharesponse hcaptcharesponse
    cfturnstileresponse
    titel akademischertitel tussenvoegsel segundoapellido フリガナ ふりがな セイ メイ dateofbirth birthdate birthday dob geburtsdatum
    geburtstag datedenaissance fechadenacimiento datadinascita datadenascimento geboortedatum dataurodzenia datumnarozeni 生年月日
    생년월일 性別 性别 성별 morada localidade domicilio localidad provincia woonplaats gatuadress postnummer ulica kodpocztowy
    miasto kraj ulice mesto psc adres postakodu il ilce ulke адреса місто індекс країна 住所 郵便番号 地址 邮政编码 城市 国家 주소
    우편번호 العنوان المدينة الدولة الرمزالبريدي cp plzort zeitstempel horodateur marcatemporal informazionicronologiche tijdstempel
    datesubmitted dategmt userdevice uniqueuserid geolocationdetails entrynotes userid userdisplayname submittername submitterid
    deviceid formversion reviewstate attachmentspresent metainstanceid instanceid recordeddate responseid distributionchannel
    externalreference userlanguage progress durationinseconds locationlatitude locationlongitude pagetitle createdby updatedby
    draft indraft submissionuri remoteipaddress serialnumber sid preferredcontact preferredcontactmethod
    dni nif cif nie rfc cpf cnpj nip pesel regon ico dic siret vatid vatnumber taxid ustid ustidnr steuernummer codicefiscale
    partitaiva iban bic`,
}

/** A name without case, accents, blanks and punctuation: `E-Mail` and `email` are one. Long ones have no meaning here. */
const foldName = (name: string): string =>
  name.length > 100
    ? ''
    : name
        .normalize('NFKD')
        .toLowerCase()
        .replaceAll('ß', 'ss')
        .replaceAll('ı', 'i')
        .replaceAll(/[^\p{L}\p{N}]/gu, '')
        .normalize('NFC')

const makeRoles = (): ReadonlyMap<string, FieldRole> =>
  new Map(
    (Object.entries(words) as [FieldRole, string][]).flatMap(([role, names]) =>
      names.split(/\s+/).map((name) => [foldName(name), role] as const),
    ),
  )

let roles: ReadonlyMap<string, FieldRole> | undefined

/**
 * Names of what is no content: what someone agrees to, and where a parcel goes. Such words may also begin the value of a box
 * that is ticked. Three patterns: as one, a text of 150 characters took 660 ns instead of 230.
 */
const asideStart =
  /^(?:#|_(?!replyto)|utm_|i (?:agree|accept|consent|have read)|ich (?:stimme|akzeptiere|willige|habe die)|j.accepte|acepto|he le[ií]do|accetto|ho letto|aceito|zgoda|wyra[zż]am zgod|souhlas[ií]m|jag godk|ik ga akkoord|he aceptado|li e aceito|погоджу|أوافق)/i
const asideWords =
  /privacy|gdpr|rgpd|dsgvo|datenschutz|einwillig|consent|privacidad|confidentialit|submitted (?:by|to): |how did you (?:hear|find)|wie haben sie (?:von )?uns|comment nous avez|c[oó]mo nos conoci|come ci hai|同意|동의합니다/i
const asideEnd = /(?<!mail[ _-]?)(?:address|adresse|adres|direcci[oó]n|indirizzo|endere[cç]o)$/i

const isAside = (text: string): boolean =>
  text.length < 1000 && (asideStart.test(text) || asideWords.test(text) || asideEnd.test(text))

/** What a program wrote, or a title: a time with its seconds, a browser, an identifier. */
const noContent =
  /^(?:[\d./-]{8,10}[T ,]+\d{1,2}:\d\d:\d\d\b.*|Mozilla\/.*|uuid:.*|(?:dr|prof|mr|mrs|ms|miss|herr|frau|mme|mlle|sr|sra|sig|sig\.ra|dhr|mevr|hr|fr)\.?)$/i

/** Returns whether a value is never what a submission is about, whatever its name is. */
export const isAsideValue = (text: string): boolean => isAside(text) || (text.length < 300 && noContent.test(text))

/** Of names in groups, such as `visit/notes`, the last one counts. */
const ofNames = parseOnce((name): FieldRole | 'none' => {
  roles ??= makeRoles()
  const own = name.slice(name.lastIndexOf('/') + 1)
  return roles.get(foldName(name)) ?? roles.get(foldName(own)) ?? (isAside(own.trim()) ? 'aside' : 'none')
}, 100_000)

const ofNameOrLabel = (name: string, label: string): FieldRole | 'none' => {
  const role = ofNames(name)
  return role === 'none' && label !== name ? ofNames(label) : role
}

const rolesIn = (settings: string | null): ReadonlyMap<string, FieldRole | 'none'> =>
  new Map(
    parseSettings(settings).fields.map(({ name, type, label = name }) => [
      name,
      factsOf(type).role ?? ofNameOrLabel(name, label),
    ]),
  )
const rolesInSettings = parseOnce(rolesIn)
const rolesWithoutSettings = rolesIn(null)

/** Says what each field of a form tells, `none` if nothing says so. @param settings of the form, as they are stored */
export const roleOfField = (settings: string | null): ((name: string) => FieldRole | 'none') => {
  const known = settings === null ? rolesWithoutSettings : rolesInSettings(settings)
  return (name) => known.get(name) ?? ofNames(name)
}
