package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	formbox "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	api := formbox.NewAPIClient(formbox.NewConfiguration())
	all := context.WithValue(context.Background(), formbox.ContextAccessToken, os.Args[1])
	input := formbox.NewFormInput("Kontakt")
	input.SetReturnUrl(os.Args[2])
	id := ok(api.FormsAPI.CreateForm(all).FormInput(*input).Execute()).GetId()
	form := ok(api.FormsAPI.GetForm(all, id).Execute())
	data := map[string]any{"address": map[string]any{"city": "Berlin"}, "name": "Zoë"}
	ok(api.CollectingAPI.Submit(all, id).RequestBody(data).Execute())
	list := ok(api.SubmissionsAPI.ListSubmissions(all, id).Execute())
	found := ok(api.SearchAPI.SearchSubmissions(all, id).Q("berlin").HasFiles(false).Execute())
	csv, err := io.ReadAll(ok(api.ExportAPI.ExportSubmissions(all, id).Raw(true).Execute()))
	check(err)
	ok(api.FormsAPI.DeleteForm(all, id).Execute())
	_, gone, _ := api.FormsAPI.GetForm(all, id).Execute()
	check(json.NewEncoder(os.Stdout).Encode([]any{
		form.GetReturnUrl(), list.Submissions[0].Data, len(found.Submissions), string(csv), gone.StatusCode,
	}))
}

func ok[Value, Response any](value Value, _ Response, err error) Value {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
