require 'json'
require 'openapi_client'

OpenapiClient.configure { |config| config.access_token = ARGV[0] }
forms = OpenapiClient::FormsApi.new
id = forms.create_form(OpenapiClient::FormInput.new(title: 'Kontakt', return_url: ARGV[1])).id
form = forms.get_form(id)
OpenapiClient::CollectingApi.new.submit(id, { address: { city: 'Berlin' }, name: 'Zoë' })
list = OpenapiClient::SubmissionsApi.new.list_submissions(id)
found = OpenapiClient::SearchApi.new.search_submissions(id, q: 'berlin', has_files: false)
file = OpenapiClient::ExportApi.new.export_submissions(id, raw: true)
forms.delete_form(id)
gone = begin
  forms.get_form(id)
rescue OpenapiClient::ApiError => e
  e.code
end
csv = file.respond_to?(:path) ? File.read(file.path) : file
puts JSON.generate([form.return_url, list.submissions[0].data, found.submissions.length, csv, gone])
