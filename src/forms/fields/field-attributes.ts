import { withLikeExtensions } from '../../base/file-kinds.ts'
import { foldValue } from '../../base/search-fold.ts'
import {
  type FormField,
  factsOf,
  fileTypesOf,
  maxFilesOfField,
  maxOtherLength,
  sendsList,
  sendsTick,
  tickOf,
} from './form-field.ts'

/** An attribute of HTML; true for one without a value. */
export type Attribute = readonly [name: string, value: string | number | true]

/** Radio buttons up to this many options, and then a list to choose from. */
const maxRadios = 7

/** The element that asks for a field. A group has an input for each option. */
export const elementOf = ({ type, options = [] }: FormField): 'input' | 'textarea' | 'select' | 'group' => {
  const { element = 'input' } = factsOf(type)
  return type === 'choice' && options.length > maxRadios ? 'select' : element
}

/** The attributes of a field's input, with which a browser checks nothing more strictly than the server does. */
export const attributesOf = (field: FormField): readonly Attribute[] => {
  const { type, required, minLength, maxLength, min, max, value } = field
  const fileTypes = fileTypesOf(field)
  const autocomplete = autocompleteOf(field)
  const found: (Attribute | false)[] = [
    ...(elementOf(field) === 'input' && type !== 'text' ? Object.entries({ type, ...factsOf(type).input }) : []),
    minLength !== undefined && ['minlength', minLength],
    maxLength !== undefined && ['maxlength', maxLength],
    type === 'date' && min !== undefined && ['min', min],
    // Browsers also have years of six digits.
    type === 'date' && ['max', max ?? '9999-12-31'],
    fileTypes.length > 0 && ['accept', withLikeExtensions(fileTypes).join(',')],
    maxFilesOfField(field) > 1 && ['multiple', true],
    sendsTick(type) && ['value', tickOf(field)],
    value !== undefined && ['value', value],
    autocomplete !== undefined && ['autocomplete', autocomplete],
    // Of a group of check boxes, it would mean all of them.
    required === true && !sendsList(type) && ['required', true],
  ]
  return found.filter((one) => one !== false)
}

/** An answer of the visitor's own is one more input of the same name. */
export const otherAttributes: readonly Attribute[] = [['maxlength', maxOtherLength]]

const autocompleteOf = ({ name, type }: FormField): string | undefined => {
  const { autocomplete } = factsOf(type)
  return autocomplete === 'byName' ? wellKnown.get(foldValue(name).replaceAll(/[\s_-]/g, '')) : autocomplete
}

/** Names that many forms have, and what browsers call their values. */
const wellKnown = new Map([
  ...['name', 'fullname', 'yourname'].map((name) => [name, 'name'] as const),
  ...['firstname', 'givenname', 'forename'].map((name) => [name, 'given-name'] as const),
  ...['lastname', 'surname', 'familyname'].map((name) => [name, 'family-name'] as const),
  ...['company', 'organization', 'organisation'].map((name) => [name, 'organization'] as const),
  ...['address', 'street', 'streetaddress'].map((name) => [name, 'street-address'] as const),
  ...['city', 'town'].map((name) => [name, 'address-level2'] as const),
  ...['zip', 'zipcode', 'postcode', 'postalcode'].map((name) => [name, 'postal-code'] as const),
  ...['birthday', 'birthdate', 'dateofbirth'].map((name) => [name, 'bday'] as const),
  ['country', 'country-name'],
])
