// Small files with the columns and quirks of each service, in our words, and the value of every cell.
import type { ImportFormat } from '../../src/transfer/formats.ts'
import type { TimeOptions } from '../../src/transfer/import/time-column.ts'

type Data = Record<string, unknown>
export type Row = readonly [time: string | null, data: Data]
export interface ServiceFile {
  readonly text: string
  readonly rows: readonly Row[]
  readonly time?: Partial<TimeOptions>
  readonly format?: ImportFormat
  readonly names?: readonly string[]
}

/** By the name of the service. */
export const serviceFiles: Record<string, ServiceFile> = {
  Typeform: {
    text:
      '#,Do you code?,Other,How old are you?,Other,Start Date (UTC),Submit Date (UTC),Network ID\r\n' +
      'a1,1,,021,violin,2026-03-04 14:00:00,2026-03-04 14:05:06,n1\r\na2,0,drums,,,2026-03-05 14:00:00,2026-03-05 14:05:06,n2\r\n',
    rows: [
      [
        '2026-03-04T14:05:06.000Z',
        {
          '#': 'a1',
          'Do you code?': '1',
          'How old are you?': '021',
          'Other 2': 'violin',
          'Start Date (UTC)': '2026-03-04 14:00:00',
          'Network ID': 'n1',
        },
      ],
      [
        '2026-03-05T14:05:06.000Z',
        {
          '#': 'a2',
          'Do you code?': '0',
          Other: 'drums',
          'Start Date (UTC)': '2026-03-05 14:00:00',
          'Network ID': 'n2',
        },
      ],
    ],
    names: ['#', 'Do you code?', 'Other', 'How old are you?', 'Other 2', 'Start Date (UTC)', 'Network ID'],
  },
  'Google Forms': {
    text: '"Timestamp","Your\u00a0name"\n"2026/03/04 2:05:06 PM GMT+1","Ann"\n"2026/07/04 2:05:06 AM GMT+2",""\n',
    rows: [
      ['2026-03-04T13:05:06.000Z', { 'Your\u00a0name': 'Ann' }],
      ['2026-07-04T00:05:06.000Z', { 'Your\u00a0name': '' }],
    ],
  },
  'the sheet of Google Forms': {
    text: 'Timestamp,Name\n9/6/2018 0:06:16,Ann\n9/16/2018 10:06:16,Bo\n',
    rows: [
      ['2018-09-06T00:06:16.000Z', { Name: 'Ann' }],
      ['2018-09-16T10:06:16.000Z', { Name: 'Bo' }],
    ],
  },
  'the German sheet of Google Forms': {
    text: 'Zeitstempel;Name\n04.03.2026 14:05:06;Ann\n',
    time: { timeZone: 'Europe/Berlin' },
    rows: [['2026-03-04T13:05:06.000Z', { Name: 'Ann' }]],
  },
  Airtable: {
    text: '\ufeffName,Notes,Created\nAnn,"a, b",3/24/2026 2:05pm\nBo,,3/4/2026 11:05am\n',
    rows: [
      ['2026-03-04T11:05:00.000Z', { Name: 'Bo' }],
      ['2026-03-24T14:05:00.000Z', { Name: 'Ann', Notes: 'a, b' }],
    ],
  },
  SurveyMonkey: {
    text:
      'Respondent ID,Collector ID,Start Date,End Date,Colour?,Colour? – Other (please specify),Colour? – Other (please specify)\n' +
      '114,9,03/14/2026 02:00:00 PM,03/14/2026 02:05:06 PM,red,,dark red\n',
    rows: [
      [
        '2026-03-14T14:05:06.000Z',
        {
          'Respondent ID': '114',
          'Collector ID': '9',
          'Start Date': '03/14/2026 02:00:00 PM',
          'Colour?': 'red',
          'Colour? – Other (please specify) 2': 'dark red',
        },
      ],
    ],
  },
  LimeSurvey: {
    text: '"id","submitdate","hidden","q1"\n"1","2026-03-04 14:05:06","{""debug"":true}","" \n"2","1980-01-01 00:00:00","x","y"\n',
    time: { timeZone: 'Europe/Berlin' },
    rows: [
      ['2026-03-04T13:05:06.000Z', { id: '1', hidden: '{"debug":true}', q1: '"" ' }],
      [null, { id: '2', hidden: 'x', q1: 'y' }],
    ],
  },
  Jotform: {
    text:
      '"Submission Date","Project; Channel; Sub Channel","Date","Phone"\n' +
      '"Jul 19, 2022","a; b; c","1985-02-03","0151\n0152"\n"Jul 20, 2022","d; e; f","","01067"\n',
    rows: [
      [
        '2022-07-19T00:00:00.000Z',
        { 'Project; Channel; Sub Channel': 'a; b; c', Date: '1985-02-03', Phone: '0151\n0152' },
      ],
      ['2022-07-20T00:00:00.000Z', { 'Project; Channel; Sub Channel': 'd; e; f', Date: '', Phone: '01067' }],
    ],
  },
  KoboToolbox: {
    text:
      'group/name;_id;_uuid;_submission_time;_status;_notes\nAnn;7;u7;2026-03-04T14:05:06;submitted_via_web;\n' +
      'Bo;8;u8;2026-03-05T14:05:06;spam;\n',
    rows: [
      ['2026-03-04T14:05:06.000Z', { 'group/name': 'Ann', _id: '7', _uuid: 'u7', _status: 'submitted_via_web' }],
      ['2026-03-05T14:05:06.000Z', { 'group/name': 'Bo', _id: '8', _uuid: 'u8', _status: 'spam' }],
    ],
    names: ['group/name', '_id', '_uuid', '_status', '_notes'],
  },
  ODK: {
    text: 'SubmissionDate,today,name,KEY\n2026-03-04T14:05:06.789Z,2026-03-01,Ann,uuid:1\n',
    rows: [['2026-03-04T14:05:06.789Z', { today: '2026-03-01', name: 'Ann', KEY: 'uuid:1' }]],
  },
  Qualtrics: {
    text: 'StartDate,EndDate,RecordedDate,Q1\n2026-03-04 14:00:00,2026-03-04 14:05:00,2026-03-04 14:05:06,yes\n',
    rows: [
      ['2026-03-04T14:05:06.000Z', { StartDate: '2026-03-04 14:00:00', EndDate: '2026-03-04 14:05:00', Q1: 'yes' }],
    ],
  },
  'Gravity Forms': {
    text: '\ufeff"Name (First)","List","List","Entry Id","Entry Date"\n"Ann","a|b","c","12","2026-03-04 14:05:06"',
    rows: [['2026-03-04T14:05:06.000Z', { 'Name (First)': 'Ann', List: 'a|b', 'List 2': 'c', 'Entry Id': '12' }]],
  },
  'Contact Form 7 with Flamingo': {
    text: 'your-name,your-email,Date\nAnn,a@b.example,2026-03-04 14:05:06\n',
    rows: [
      ['2026-03-04T14:05:06.000Z', { 'your-name': 'Ann', 'your-email': 'a@b.example', Date: '2026-03-04 14:05:06' }],
    ],
  },
  'Contact Form 7 with CFDB7': {
    text: 'form_id,form_date,your-name\n3,2026-03-04 14:05:06,Ann\n',
    rows: [['2026-03-04T14:05:06.000Z', { form_id: '3', 'your-name': 'Ann' }]],
  },
  Formidable: {
    text: '"Name","Timestamp","Last Updated","ID"\n"Ann","2026-03-04 14:05:06","2026-03-05 14:05:06","5"\n',
    rows: [['2026-03-04T14:05:06.000Z', { Name: 'Ann', 'Last Updated': '2026-03-05 14:05:06', ID: '5' }]],
  },
  'Nextcloud Forms': {
    text: '"User ID","Timestamp","Question"\n"","2026-03-04T14:05:06+01:00","yes"\n',
    rows: [['2026-03-04T13:05:06.000Z', { 'User ID': '', Question: 'yes' }]],
  },
  WPForms: {
    text: 'Name,Entry Date,Entry ID\nAnn,"March 4, 2026 2:05 pm",9\n',
    rows: [['2026-03-04T14:05:00.000Z', { Name: 'Ann', 'Entry ID': '9' }]],
  },
  'Ninja Forms': {
    text: '"#","Date Submitted","Name"\n"1","03/24/2026 2:05 pm","Ann"\n',
    rows: [['2026-03-24T14:05:00.000Z', { '#': '1', Name: 'Ann' }]],
  },
  Wufoo: {
    text: 'Entry Id,Name,Date Created,Created By\n1,Ann,2026-03-04 14:05:06,public\n',
    rows: [['2026-03-04T14:05:06.000Z', { 'Entry Id': '1', Name: 'Ann', 'Created By': 'public' }]],
  },
  Tally: {
    text: 'Submission ID,Respondent ID,Submitted at,Name\ns1,r1,2026-03-04 14:05:06,Ann\n',
    rows: [['2026-03-04T14:05:06.000Z', { 'Submission ID': 's1', 'Respondent ID': 'r1', Name: 'Ann' }]],
  },
  'Microsoft Forms': {
    text: 'ID;Start time;Completion time;Name\n1;3/14/26 14:00:00;3/14/26 14:05:00;Ann\n',
    rows: [['2026-03-14T14:05:00.000Z', { ID: '1', 'Start time': '3/14/26 14:00:00', Name: 'Ann' }]],
  },
  Drupal: {
    text: 'Serial number,Created,Completed,Name\n1,"Wed, 03/04/2026 - 14:00","Wed, 03/04/2026 - 14:05",Ann\n',
    time: { order: 'mdy' },
    rows: [['2026-03-04T14:05:00.000Z', { 'Serial number': '1', Created: 'Wed, 03/04/2026 - 14:00', Name: 'Ann' }]],
  },
  Netlify: {
    text: 'name,message,created_at\nAnn,"Hi, you",2026-03-04 14:05:06 UTC\n',
    rows: [['2026-03-04T14:05:06.000Z', { name: 'Ann', message: 'Hi, you' }]],
  },
  Basin: {
    text: 'id,name,spam,created_at\n1,Ann,false,2026-03-04 14:05:06 +0100\n2,Robot,true,2026-03-04 14:05:06 +0100\n',
    rows: [['2026-03-04T13:05:06.000Z', { id: '1', name: 'Ann' }]],
    names: ['id', 'name'],
  },
  Formspree: {
    text: '_date,name,_replyto\n2026-03-04T14:05:06.707632,Ann,a@b.example\n',
    rows: [['2026-03-04T14:05:06.707Z', { name: 'Ann', _replyto: 'a@b.example' }]],
  },
  Getform: {
    text: '{"data":{"submissions":[{"id":7,"name":"Ann","submission_date":"2026-03-04 14:05:06"}]}}',
    format: 'json',
    rows: [['2026-03-04T14:05:06.000Z', { id: 7, name: 'Ann' }]],
  },
  Web3Forms: {
    text: 'name,message,Submitted At\nAnn,Hi,"Mar 4, 2026, 2:05 PM"\n',
    rows: [['2026-03-04T14:05:00.000Z', { name: 'Ann', message: 'Hi' }]],
  },
  Formspark: {
    text: 'name,created_at\nAnn,2026-03-04T14:05:06.000Z\n',
    rows: [['2026-03-04T14:05:06.000Z', { name: 'Ann' }]],
  },
  FormSubmit: {
    text: 'name,submitted_at\nAnn,2026-03-04 14:05:06\n',
    rows: [['2026-03-04T14:05:06.000Z', { name: 'Ann' }]],
  },
  Formbase: {
    text: '[{"name":"Ann","isSpam":false},{"name":"Robot","isSpam":true}]',
    format: 'json',
    time: { isOff: true },
    rows: [[null, { name: 'Ann' }]],
  },
  Formcarry: {
    text: 'name,Created At\nAnn,2026-03-04T14:05:06.000Z\n',
    rows: [['2026-03-04T14:05:06.000Z', { name: 'Ann' }]],
  },
  OpnForm: {
    text: 'id,Name,created_at,status\nXk3v,Ann,"2026-03-04 14:05",Completed\n',
    rows: [['2026-03-04T14:05:00.000Z', { id: 'Xk3v', Name: 'Ann', status: 'Completed' }]],
  },
  'a script of one’s own, in Unix seconds': {
    text: '{"name":"Ann","submittedAt":1772633106}\n{"name":"Bo","Date":"1990-05-06","submittedAt":"1772633107000"}\n',
    format: 'ndjson',
    rows: [
      ['2026-03-04T14:05:06.000Z', { name: 'Ann' }],
      ['2026-03-04T14:05:07.000Z', { name: 'Bo', Date: '1990-05-06' }],
    ],
  },
}

/** Files with more than one row above the data. */
Object.assign(serviceFiles, {
  'SurveyMonkey, with the answers below the questions': {
    text:
      'Respondent ID,Collector ID,Start Date,End Date,Which colours?,,,Why?\n' +
      ',,,,Red,Blue,Other (please specify),Open-Ended Response\n' +
      '114,9,03/14/2026 02:00:00 PM,03/14/2026 02:05:06 PM,Red,,ochre,they suit me\n',
    rows: [
      [
        '2026-03-14T14:05:06.000Z',
        {
          'Respondent ID': '114',
          'Collector ID': '9',
          'Start Date': '03/14/2026 02:00:00 PM',
          'Which colours? – Red': 'Red',
          'Which colours? – Other (please specify)': 'ochre',
          'Why?': 'they suit me',
        },
      ],
    ],
    names: [
      'Respondent ID',
      'Collector ID',
      'Start Date',
      'Which colours? – Red',
      'Which colours? – Blue',
      'Which colours? – Other (please specify)',
      'Why?',
    ],
  },
  'Nextcloud Forms, with the identifiers of the columns below their names': {
    text:
      '\ufeff"ID der Übermittlung","Benutzer-ID","Anzeigename","Zeit","Farbe?","Warum?"\n' +
      '"submission_id","user_id","user_display_name","timestamp","question-id-7","question-id-8-2"\n' +
      '"1","","Anonym","2026-03-04T14:05:06+01:00","rot","\'-"\n',
    rows: [
      [
        '2026-03-04T13:05:06.000Z',
        { 'ID der Übermittlung': '1', 'Benutzer-ID': '', Anzeigename: 'Anonym', 'Farbe?': 'rot', 'Warum?': "'-" },
      ],
    ],
  },
  'Qualtrics, with questions and identifiers': {
    text:
      'StartDate,RecordedDate,Q1,Q2_1\nStart Date,Recorded Date,What is it?,Which? - Red\n' +
      '"{""ImportId"":""startDate"",""timeZone"":""Europe/Berlin""}","{""ImportId"":""recordedDate""}","{""ImportId"":""QID1_TEXT""}","{""ImportId"":""QID2""}"\n' +
      '2026-03-04 14:00:00,2026-03-04 14:05:06,a,1\n',
    rows: [
      [
        '2026-03-04T14:05:06.000Z',
        { StartDate: '2026-03-04 14:00:00', 'Q1 – What is it?': 'a', 'Q2_1 – Which? - Red': '1' },
      ],
    ],
  },
  'Typeform, with answers as names below few questions': {
    text: ',Which do you use?,,,,\n#,React,Vue,None of them,Start Date (UTC),Submit Date (UTC)\n1,React,,,2026-03-04 14:00:00,2026-03-04 14:05:06\n',
    rows: [
      [
        '2026-03-04T14:05:06.000Z',
        {
          '#': '1',
          'Which do you use? – React': 'React',
          'Which do you use? – Start Date (UTC)': '2026-03-04 14:00:00',
        },
      ],
    ],
  },
  'a list with a title': {
    text: 'Guests of 2026;;;\nName;Straße;Created at;Yes?\nAnn;1;2026-03-04;yes\n',
    rows: [['2026-03-04T00:00:00.000Z', { Name: 'Ann', Straße: '1', 'Yes?': 'yes' }]],
  },
} satisfies Record<string, ServiceFile>)
