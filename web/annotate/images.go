package annotate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"compqa/web/annotate/project"
	"compqa/web/shell"
)

// mostImage is the maximum size of an image in bytes.
const mostImage = 5 << 20

// imageTypes lists the types of images that are shown. SVG is missing, because it may contain scripts.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// localPath returns the path, below the study's folder, that an image's destination in Markdown names. It returns "" for any other
// destination.
func localPath(destination string) string {
	u, err := url.Parse(destination)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || u.RawQuery != "" {
		return ""
	}
	name := path.Clean(u.Path)
	if !fs.ValidPath(name) || strings.ContainsAny(name, `\:`) {
		return ""
	}
	return name
}

// Images returns the distinct paths, below the study's folder, of the images in the study's texts.
func Images(texts project.Texts, items []project.Item) (paths []string) {
	add := func(list ...string) {
		for _, text := range list {
			for _, destination := range shell.Images(text) {
				paths = append(paths, localPath(destination))
			}
		}
	}
	add(texts.Guidelines, texts.Consent)
	for _, it := range items {
		add(it.Content.A, it.Content.B)
		for _, a := range it.Content.Attachments {
			add(a.Text, a.Swapped)
		}
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(name string) bool { return name == "" })
}

// MissingImages returns, for each image in the study's texts that people would not see, a sentence that says why.
func MissingImages(dir string, texts project.Texts, items []project.Item) (faults []string) {
	for _, name := range Images(texts, items) {
		if _, _, err := readImage(dir, name); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return faults
}

// readImage returns the content and the type of an image in the study's folder. The path cannot leave the folder, not even by a symbolic
// link (os.Root). The error says why people do not see the image.
func readImage(dir, name string) (content []byte, kind string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("%s is not in %s", name, dir)
	case err != nil:
		return nil, "", fmt.Errorf("%s leads out of %s: %w", name, dir, err)
	case !info.Mode().IsRegular():
		return nil, "", fmt.Errorf("%s is no file", name)
	case info.Size() > mostImage:
		return nil, "", fmt.Errorf("%s has %d bytes; an image may have %d", name, info.Size(), mostImage)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	content, err = io.ReadAll(io.LimitReader(f, mostImage))
	if err != nil {
		return nil, "", err
	}
	if kind = http.DetectContentType(content); !slices.Contains(imageTypes, kind) {
		return nil, "", fmt.Errorf("%s is none of %s", name, strings.Join(imageTypes, ", "))
	}
	return content, kind, nil
}

// imageAddress returns the address at which a page finds an image of the study's texts. It contains a code instead of the path, which may
// name a system. For an image on another site, or one that cannot be shown, it returns ""; the page then shows description and
// destination.
func (s *Server) imageAddress(destination string) string {
	name := localPath(destination)
	code := s.Project.Keyed("image/" + name)
	if s.images[code] == "" {
		return ""
	}
	if _, _, err := readImage(s.Folder, name); err != nil {
		return ""
	}
	return "/image/" + code
}

// image serves an image. Its code cannot be guessed, so no session is needed.
func (s *Server) image(w http.ResponseWriter, r *http.Request, _ project.Annotator) error {
	name := s.images[r.PathValue("code")]
	if name == "" {
		return project.ErrUnknown
	}
	content, kind, err := readImage(s.Folder, name)
	if err != nil {
		s.Log.Printf("annotate: image: %v", err)
		return project.ErrUnknown
	}
	w.Header().Set("Content-Type", kind)
	w.Write(content)
	return nil
}
